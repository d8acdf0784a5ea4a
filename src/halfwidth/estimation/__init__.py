"""Front doors: check once, choose a method, compute, and say what to doubt."""
