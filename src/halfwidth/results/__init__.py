"""What verbs return: estimates, comparisons, rankings, curves, plans, audits."""
