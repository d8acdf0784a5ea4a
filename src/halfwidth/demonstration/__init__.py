"""What ``halfwidth demo`` runs on: masks drawn from a seed, and small models on real data."""
