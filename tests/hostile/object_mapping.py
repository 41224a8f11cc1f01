"""Returns a dict that shows other items each time it is looked at."""


class Hostile(dict):
    looked = 0

    def __contains__(self, key):
        return True

    def __getitem__(self, key):
        self.looked += 1
        return "x" * (1 << 20) if self.looked % 2 else [object()]

    def __iter__(self):
        return iter(["score"])


def detect(rows, seed):
    return Hostile() if seed == 0 else 0
