"""The answer of a verb before it is text, and its renderers: knows nothing of estimates."""
