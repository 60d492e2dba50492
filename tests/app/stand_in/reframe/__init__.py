"""Stands in for ReFrame where it is not installed, as far as examples/acceptance/reframe needs it: the documented API of
ReFrame 4 (https://reframe-hpc.readthedocs.io/en/stable/regression_test_api.html), with a pipeline of its own in `run`.

Unlike ReFrame it evaluates at once, and it refuses attributes that ReFrame's tests do not have.
"""

import os
import subprocess

REGISTERED = []
DOCUMENTED = {"descr", "valid_systems", "valid_prog_environs", "executable", "executable_opts", "keep_files", "time_limit",
              "exclusive_access", "num_tasks", "num_tasks_per_node", "current_partition", "reference", "perf_variables", "stagedir", "stdout", "stderr", "job"}


class Device:
    """What a partition's configuration says of devices of a kind."""

    def __init__(self, device_type, num_devices):
        self.device_type, self.num_devices = device_type, num_devices


class Partition:
    """A partition of a system."""

    def __init__(self, devices):
        self.devices = [Device(*device) for device in devices]


class SanityError(Exception):
    """What a failed sanity check raises."""


class PerformanceError(Exception):
    """What a missed reference raises."""


def simple_test(cls):
    """Decorates a class that is a test."""
    if not issubclass(cls, RunOnlyRegressionTest):
        raise TypeError(f"{cls.__name__} is no test of ReFrame")
    REGISTERED.append(cls)
    return cls


class RunOnlyRegressionTest:
    """A test without a build."""

    def __init_subclass__(cls):
        for name, value in list(vars(cls).items()):
            if hasattr(value, "stand_in_variable"):
                setattr(cls, name, value.value)
            elif hasattr(value, "stand_in_parameter"):
                setattr(cls, name, value.values)
            elif not name.startswith("__") and not callable(value) and name not in DOCUMENTED:
                raise AttributeError(f"tests of ReFrame have no attribute {name}")


def hooks(test, stage):
    """The functions that run before a stage."""
    return [getattr(test, name) for name in dir(test) if getattr(getattr(test, name), "before", None) == stage]


def run(cls, stagedir, environment, launcher=(), partition=(), **variables):
    """Runs a test as the local scheduler does, on a partition with these devices, each a type and a number, and a launcher of
    this name, which gets `-n` and the number of tasks. Returns the performance variables that were measured."""
    test = cls()
    test.num_tasks, test.num_tasks_per_node, test.current_partition = 1, None, Partition(partition)
    test.stagedir, test.reference, test.perf_variables = str(stagedir), {}, {}
    for name, value in variables.items():
        setattr(test, name, value)
    for hook in hooks(test, "run"):
        hook()
    started = [*launcher, "-n", str(test.num_tasks)] if launcher else []
    subprocess.run([*started, test.executable, *test.executable_opts], cwd=stagedir, env=environment, check=False, capture_output=True)
    sanity, = [getattr(test, name) for name in dir(test) if hasattr(getattr(test, name), "is_sanity")]
    assert sanity() is True
    for file in test.keep_files:
        assert os.path.exists(os.path.join(stagedir, file)), file
    for hook in hooks(test, "performance"):
        hook()
    measured = {name: function() for name, function in test.perf_variables.items()}
    for name, (value, low, high, unit) in test.reference.get("*", {}).items():
        assert test.perf_variables[name].unit == unit
        if (low is not None and measured[name] < value * (1 + low)) or (high is not None and measured[name] > value * (1 + high)):
            raise PerformanceError(name)
    return measured
