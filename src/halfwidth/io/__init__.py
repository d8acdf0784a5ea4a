"""Files and tables in; the layers below see arrays only."""
