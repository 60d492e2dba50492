"""What ReFrame's test classes are built of."""


class variable:
    """A variable of a test, which its user may set."""

    stand_in_variable = True

    def __init__(self, *types, value=None):
        assert isinstance(value, types), value
        self.value = value


class parameter:
    """A parameter of a test: there is one test for each of its values."""

    stand_in_parameter = True

    def __init__(self, values):
        self.values = list(values)


def run_before(stage):
    """Decorates a function that runs before a stage of the pipeline."""
    assert stage in ("init", "setup", "compile", "run", "sanity", "performance", "cleanup"), stage

    def decorated(function):
        function.before = stage
        return function

    return decorated


def sanity_function(function):
    """Decorates the function that says whether a run counts."""
    function.is_sanity = True
    return function
