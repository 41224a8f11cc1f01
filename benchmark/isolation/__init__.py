"""Running an entry in another process that never holds the truth."""
