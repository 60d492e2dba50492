"""A ReFrame test that accepts a node: sanity by the verdict of `bankfull accept`, performance by its rates.

    reframe -c bankfull_check.py -r -S BankfullAcceptance.baseline=/etc/bankfull/nvidia-h100-80gb-hbm3.json

The baseline is a file of `bankfull baseline make`; its medians are ReFrame's references, with the tolerance that
`bankfull accept` has (2.5 to 4.5 %, docs/adr/0033). Without one, `bankfull accept` judges by the baseline that comes
with the program, and ReFrame records the rates without references.

Each device has a rank of its own: as many as ReFrame's configuration lists GPUs of the partition (`devices`), or as
-S BankfullAcceptance.devices=4 says. Several need a launcher of the partition that starts ranks, such as mpirun or srun.
"""

import json
import os

import reframe as rfm
import reframe.utility.sanity as sn
from reframe.core.builtins import run_before, sanity_function, variable


def key_of(gauge):
    """The name of a performance variable: "himeno L fp32 tuned" as himeno_L_fp32_tuned."""
    return "".join(letter if letter.isalnum() else "_" for letter in gauge).replace("__", "_")


def tolerance_of(entry):
    """How far below the baseline a rate may be, as a fraction; see tolerance_of in bankfull/app/accept/judgement.cpp."""
    return min(max(entry["spread"], 0.025), 0.045)


def references_of(baseline):
    """The medians of a baseline as references: larger rates are never wrong."""
    return {key_of(entry["gauge"]): (entry["median"], -tolerance_of(entry), None, entry["unit"]) for entry in baseline["entries"]}


def slowest_rates(acceptance):
    """Of each gauge the rate of the slowest device, with its unit."""
    rates = {}
    for device in acceptance["devices"]:
        for gauge in device["gauges"]:
            key = key_of(gauge["gauge"])
            if key not in rates or gauge["rate"] < rates[key][0]:
                rates[key] = (gauge["rate"], gauge["unit"])
    return rates


def complaints_of(acceptance):
    """What is wrong with which device, in one text."""
    return "; ".join(f"{device['host']} {device['device']}, {gauge['gauge']}: {gauge['finding']}, {gauge.get('reason', '')}"
                     for device in acceptance["devices"] for gauge in device["gauges"] if gauge["finding"] in ("slow", "disturbed"))


@rfm.simple_test
class BankfullAcceptance(rfm.RunOnlyRegressionTest):
    descr = "Whether each device of a node is as fast as others of its model"
    valid_systems = ["*"]
    valid_prog_environs = ["*"]
    executable = "bankfull"
    executable_opts = ["accept", "--quiet", "--output", "acceptance"]
    keep_files = ["acceptance"]
    time_limit = "15m"
    exclusive_access = True
    #: A file of `bankfull baseline make`.
    baseline = variable(str, value="")
    #: The devices of a node; 0: the GPUs that the configuration of the partition lists, or one device.
    devices = variable(int, value=0)

    @run_before("run")
    def use_each_device(self):
        listed = sum(device.num_devices for device in self.current_partition.devices if device.device_type == "gpu")
        self.num_tasks = self.num_tasks_per_node = self.devices or listed or 1

    @run_before("run")
    def use_baseline(self):
        if self.baseline:
            self.executable_opts = [*self.executable_opts, "--baseline", os.path.abspath(self.baseline)]

    def acceptance(self):
        """What the run recorded; None where it left nothing, as with bad options."""
        file = os.path.join(self.stagedir, "acceptance", "acceptance.json")
        if not os.path.exists(file):
            return None
        with open(file) as text:
            return json.load(text)

    @sanity_function
    def is_accepted(self):
        acceptance = self.acceptance()
        if acceptance is None:
            return sn.assert_true(False, "bankfull accept left no record: see its standard error")
        measured = len({(device["host"], device["device"]) for device in acceptance["devices"]})
        if measured < self.num_tasks:
            return sn.assert_true(False, f"{measured} of {self.num_tasks} devices were measured: does the launcher of the partition start ranks?")
        verdict = acceptance["verdict"]
        return sn.assert_true(acceptance["exit_code"] == 0 and verdict in ("accepted", "no baseline"),
                              f"the verdict is: {verdict} (exit code {acceptance['exit_code']}). {complaints_of(acceptance)}")

    @run_before("performance")
    def take_rates(self):
        rates = slowest_rates(self.acceptance())
        self.perf_variables = {key: sn.make_performance_function(lambda rate=rate: rate, unit) for key, (rate, unit) in rates.items()}
        if self.baseline:
            with open(self.baseline) as text:
                references = references_of(json.load(text))
            self.reference = {"*": {key: reference for key, reference in references.items() if key in rates}}
