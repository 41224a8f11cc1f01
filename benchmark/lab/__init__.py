"""The scorer's own training and probing, each part run in a pinned process like an entry's."""
