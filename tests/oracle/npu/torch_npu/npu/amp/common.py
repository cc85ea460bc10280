from ..utils import is_available


def amp_definitely_not_available():
    return not is_available()
