"""Takes memory until there is no more."""


def detect(rows, seed):
    held = []
    while seed == 0:
        held.append(bytearray(64 << 20))
        if len(held) > 64:
            return len(held)
    return 0
