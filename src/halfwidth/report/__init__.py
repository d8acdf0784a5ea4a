"""Text made from finished results."""
