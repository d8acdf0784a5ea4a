"""Tables of results: whose they are, what their columns mean, and which metric a name is."""
