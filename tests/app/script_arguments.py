"""The arguments of the test scripts: their own, then `--` and those of unittest.

    hpcg_test.py build/default/bin/bankfull mpirun -n -- Sizes.test_any_from_8 -v
"""

import json
import subprocess
import sys

# Seconds until a run of the program counts as hanging: slowness is no failure. Less than CTest waits (tests/CMakeLists.txt),
# so that the failure names the run.
HANGING = 1500


def split(arguments):
    """The arguments before and after `--`."""
    where = arguments.index("--") if "--" in arguments else len(arguments)
    return arguments[:where], arguments[where + 1:]


def last_cache(binary):
    """Bytes of the largest data cache of all processors together; 0 where unknown."""
    info = subprocess.run([binary, "info", "--json"], capture_output=True, text=True, timeout=HANGING, check=True)
    cpu = json.loads(info.stdout)["context"]["cpu"]
    return max((cpu[f"l{n}_cache"]["value"] * cpu[f"l{n}_caches"]["value"] for n in range(1, 5) if f"l{n}_cache" in cpu), default=0)


def size_beyond_caches(binary):
    """Of a Himeno problem on CPUs, whose 14 arrays of 4 bytes per point no cache holds in part."""
    points_of_a_plane = 64 * 64
    planes = 4 * last_cache(binary) // (14 * 4 * points_of_a_plane) + 8
    return f"{planes + 2}x66x66"


OWN_ARGUMENTS, UNITTEST_ARGUMENTS = split(sys.argv[1:])
