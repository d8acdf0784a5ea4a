"""What verbs work on: values of cases, predictions, detections; immutable, without verbs."""
