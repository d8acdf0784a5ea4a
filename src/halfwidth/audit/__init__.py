"""What is wrong with a table of results: findings with codes, places and remedies."""
