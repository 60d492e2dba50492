"""The arguments of the test scripts: their own, then `--` and those of unittest.

    hpcg_test.py build/default/bin/bankfull mpirun -n -- Sizes.test_any_from_8 -v
"""

import sys

# Seconds until a run of the program counts as hanging: slowness is no failure. Less than CTest waits (tests/CMakeLists.txt),
# so that the failure names the run.
HANGING = 1500


def split(arguments):
    """The arguments before and after `--`."""
    where = arguments.index("--") if "--" in arguments else len(arguments)
    return arguments[:where], arguments[where + 1:]


OWN_ARGUMENTS, UNITTEST_ARGUMENTS = split(sys.argv[1:])
