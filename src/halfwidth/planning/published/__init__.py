"""Reading published numbers: claims, tables, the intervals a paper left out, leads over others."""
