def available():
    return False


def loaded():
    return False


def sum_drawn(*a):
    raise NotImplementedError


def count_drawn(*a):
    raise NotImplementedError
