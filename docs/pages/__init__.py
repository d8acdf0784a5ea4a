"""Pages and pictures that the build makes and nobody commits.

`docs/hooks.py` hands them to MkDocs as if they lay in ``docs/``.
"""
