"""From standings and results to Markdown pages, figures and downloads; alone writes site/leaderboard/."""
