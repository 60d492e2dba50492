"""A ReFrame test of each workload: sanity by the program's own verification, performance by the rates in its JSON result.

    reframe -c bankfull_workloads.py -r
    reframe -c bankfull_workloads.py -r -n 'BankfullWorkload%workload=himeno' -S BankfullWorkload.command='himeno --size XL'
    reframe -c bankfull_workloads.py -r -S BankfullWorkload.baseline=mine.json -S BankfullWorkload.num_tasks=4

The references are the medians of a baseline that `bankfull baseline make` made of earlier results (their result.json in ReFrame's
output folder). What the baseline lacks is recorded without a reference. Rates carry the unit of the baseline; for each of them there
are also the bandwidth, the percentage of the measured ceiling and the power, where the result has them.
"""

import json
import os

import reframe as rfm
import reframe.utility.sanity as sn
from reframe.core.builtins import parameter, run_before, sanity_function, variable

from bankfull_check import key_of, references_of

#: The commands. Sizes are those that fill a GPU or a node.
PROBLEMS = {
    "himeno": "himeno --size L",
    "hpcg": "hpcg --local 128x128x128",
    "npb_cg": "npb cg --class C",
    "npb_ep": "npb ep --class C",
    "npb_ft": "npb ft --class C",
    "npb_is": "npb is --class C",
    "npb_mg": "npb mg --class C",
    "probe": "probe bandwidth --quick",
}


def gauge_of(workload, name):
    """What a baseline calls a measurement."""
    return name if name.startswith(workload) else f"{workload} {name}"


def rate_of(workload, measurement):
    """Its rate and unit, as in a baseline; None: it has none."""
    if workload == "probe":
        rate, unit = measurement.get("bytes_per_second"), "GB/s"
    elif workload == "npb":
        mops = measurement["figures"].get("mops")
        rate, unit = mops and mops["value"] * 1e6, "Gop/s"
    else:
        rate, unit = measurement.get("flops_per_second"), "GFLOPS"
    return (rate * 1e-9, unit) if rate else None


def values_of(result):
    """Of each measurement that is no part of another one: its rate, bandwidth, percentage and power, as {key: (value, unit)}."""
    values = {}
    for measurement in result["measurements"]:
        rate = rate_of(result["workload"], measurement)
        if rate is None or {"part", "step"} & set(measurement["parameters"]) or measurement["name"].startswith("ceiling again"):
            continue
        key = key_of(gauge_of(result["workload"], measurement["name"]))
        values[key] = rate
        if "bytes_per_second" in measurement and rate[1] != "GB/s":
            values[f"{key}_bandwidth"] = (measurement["bytes_per_second"] * 1e-9, "GB/s")
        if "percent_of_bankfull" in measurement:
            values[f"{key}_of_bankfull"] = (measurement["percent_of_bankfull"], "%")
        if "watts" in measurement.get("energy", {}):
            values[f"{key}_power"] = (measurement["energy"]["watts"], "W")
    return values


@rfm.simple_test
class BankfullWorkload(rfm.RunOnlyRegressionTest):
    descr = "A workload of bankfull: verified, and as fast as it was"
    valid_systems = ["*"]
    valid_prog_environs = ["*"]
    executable = "bankfull"
    keep_files = ["result.json"]
    time_limit = "30m"
    exclusive_access = True
    workload = parameter(sorted(PROBLEMS))
    #: The command in place of the one above, where one workload is selected.
    command = variable(str, value="")
    #: A file of `bankfull baseline make`.
    baseline = variable(str, value="")

    @run_before("run")
    def use_problem(self):
        self.executable_opts = [*(self.command or PROBLEMS[self.workload]).split(), "--quiet", "--json", "result.json"]

    def result(self):
        """What the run recorded; None where it left nothing, as with bad options."""
        file = os.path.join(self.stagedir, "result.json")
        if not os.path.exists(file):
            return None
        with open(file) as text:
            return json.load(text)

    @sanity_function
    def is_verified(self):
        result = self.result()
        if result is None:
            return sn.assert_true(False, "bankfull left no result: see its standard error")
        ranks = result["problem"].get("ranks", {"value": 1})["value"]
        if ranks != self.num_tasks:
            return sn.assert_true(False, f"it ran on {ranks} ranks, not on {self.num_tasks}: does the launcher of the partition start ranks?")
        return sn.assert_true(result["complete"] and result["verdict"] in ("verified", "not applicable"), f"the verdict is: {result['verdict']}")

    @run_before("performance")
    def take_values(self):
        values = values_of(self.result())
        self.perf_variables = {key: sn.make_performance_function(lambda value=value: value, unit) for key, (value, unit) in values.items()}
        if self.baseline:
            with open(self.baseline) as text:
                references = references_of(json.load(text))
            self.reference = {"*": {key: reference for key, reference in references.items() if key in values}}
