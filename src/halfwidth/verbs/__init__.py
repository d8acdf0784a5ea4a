"""The verbs: functions over any kind of data."""
