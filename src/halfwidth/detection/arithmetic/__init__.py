"""Numbers of ranked matches: curves of counts, and records that pack the matches of images."""
