"""How far to trust a performance number."""

__version__ = "0.1.0"
