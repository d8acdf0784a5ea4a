"""The whole report: what is known of some results, section by section, as one document."""
