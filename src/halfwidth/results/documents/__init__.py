"""Results as documents, a module for each kind."""
