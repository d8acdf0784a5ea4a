"""Reading objects in images: what detectors mark, and references."""
