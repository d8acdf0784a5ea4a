"""The same calls on another commit and on the working tree: CONTRIBUTING.md says how to use it."""
