"""Assertions of ReFrame's sanity functions."""

from reframe import SanityError


def assert_true(value, msg=None):
    """Raises SanityError where it is not so."""
    if not value:
        raise SanityError(msg or f"{value} is not True")
    return True


def make_performance_function(function, unit):
    """A performance variable of this unit."""
    def measured():
        return function()

    measured.unit = unit
    return measured
