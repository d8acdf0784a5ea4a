"""The options of all verbs, kinds of data and doors."""
