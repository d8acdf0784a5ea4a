"""Every verb in every shape of data: the cells, what is asked of them, and what is read back."""
