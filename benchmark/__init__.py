"""The benchmark behind the Shortcut Leaderboard: tracks, scorer, ranking and pages."""
