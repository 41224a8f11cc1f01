"""Seeded generators: pure functions of parameters and random generators."""
