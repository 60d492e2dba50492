"""bankfull as an application of Ramble; its figures of merit are the keys of the program's RESULT lines (docs/output.md)."""

from ramble.appkit import *


class Bankfull(ExecutableApplication):
    """Memory-bandwidth-bound CFD workloads, verified and measured against the machine's ceiling"""

    name = "bankfull"

    tags("benchmark", "memory-bandwidth", "cfd", "hpcg", "npb", "himeno")

    software_spec("bankfull", pkg_spec="bankfull@main", package_manager="spack*")

    for workload_name, arguments, description in (
        ("himeno", "himeno --size {size}", "the Himeno benchmark"),
        ("hpcg", "hpcg --local {size}", "HPCG, with its checks and report"),
        ("npb", "npb {kernel} --class {size}", "a kernel of the NAS Parallel Benchmarks"),
        ("probe", "probe {part}", "bandwidth and latency of the memory"),
    ):
        executable(f"run_{workload_name}", f"{{program}} {arguments} {{options}} --quiet --json {{experiment_run_dir}}/result.json", use_mpi=True)
        workload(workload_name, executables=[f"run_{workload_name}"])

    workload_variable("program", default="bankfull", description="the program", workloads=["himeno", "hpcg", "npb", "probe"])
    workload_variable("options", default="", description="further options", workloads=["himeno", "hpcg", "npb", "probe"])
    workload_variable("size", default="L", description="XS, S, M, L, XL or IxJxK", workloads=["himeno"])
    workload_variable("size", default="128x128x128", description="points of each rank", workloads=["hpcg"])
    workload_variable("size", default="C", description="class: S, W, A, B, C, D or E", workloads=["npb"])
    workload_variable("kernel", default="mg", description="cg, ep, ft, is, mg or all", workloads=["npb"])
    workload_variable("part", default="bandwidth", description="bandwidth, latency, chip, peers, link or all", workloads=["probe"])

    # A measurement is named by what stands before its times, such as "himeno size=L precision=fp32 ...".
    figure_of_merit_context(
        "measurement",
        regex=r"^RESULT (?P<measurement>\w+(?: (?!seconds=)\S+)*) seconds=",
        output_format="{measurement}",
    )

    for key, unit in (
        ("seconds", "s"),
        ("seconds_min", "s"),
        ("spread_percent", "%"),
        ("gflops", "GFLOPS"),
        ("rating_gflops", "GFLOPS"),
        ("mops", "Mop/s"),
        ("bandwidth_gbs", "GB/s"),
        ("ceiling_gbs", "GB/s"),
        ("percent", "%"),
        ("joules", "J"),
        ("watts", "W"),
        ("gflops_per_watt", "GFLOPS/W"),
        ("host", ""),
        ("timing", ""),
        ("machine", ""),
        ("verdict", ""),
    ):
        figure_of_merit(
            key,
            fom_regex=rf"^RESULT .* {key}=(?P<{key}>\S+)",
            group_name=key,
            units=unit,
            contexts=["measurement"],
        )

    success_criteria("verified", mode="string", match=r"^RESULT .* verdict=(verified|not_applicable)$")
    success_criteria("none_failed", mode="string", anti_match=r"^RESULT .* verdict=(failed|under-resolved)$")
