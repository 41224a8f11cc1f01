"""The errors a user can meet. Commands print them, one line a fault, and exit with `exit_code`."""

from collections.abc import Iterable


class LeaderboardError(Exception):
    """Base of every error that is the user's to mend; carries all faults found at once."""

    exit_code = 2
    """What the command exits with: 2 for wrong use or invalid input, 1 where a check fell short."""

    def __init__(self, *faults: str) -> None:
        super().__init__("\n".join(faults))
        self.faults = faults
        """One line for each fault: what, where, expected, got, and the next step."""


class UsageError(LeaderboardError):
    """A command was called in a way it does not offer."""


class EntryError(LeaderboardError):
    """A folder is not a valid entry."""


class PackageIndexError(EntryError):
    """The packages of an entry cannot be had now, through no fault of its own."""


class ResultError(LeaderboardError):
    """A results.json is not a valid result."""


class IsolationError(LeaderboardError):
    """The isolation asked for cannot be had on this machine."""


class LaboratoryError(LeaderboardError):
    """The scorer's own training or probing gave no answer."""


class GateError(LeaderboardError):
    """A pull request may not be scored."""

    exit_code = 1


class GitHubError(LeaderboardError):
    """GitHub did not do what it was asked."""

    exit_code = 1


class PublishError(LeaderboardError):
    """Results could not be brought to where they are published."""

    exit_code = 1


class SiteError(LeaderboardError):
    """The site could not be built from what is committed."""


def raise_all(error: type[LeaderboardError], faults: Iterable[str]) -> None:
    """Nothing when there are no faults; otherwise raises `error` holding all of them."""
    if found := tuple(faults):
        raise error(*found)
