"""The same calls on another commit and on the working tree: see docs/contributing/walls.md."""
