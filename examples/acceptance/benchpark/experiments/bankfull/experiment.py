"""bankfull as an experiment of Benchpark. Its application is that of ../../../ramble, its package that of packaging/spack."""

from benchpark.directives import variant
from benchpark.experiment import Experiment
from benchpark.programming_model import ProgrammingModel, ProgrammingModelType


class Bankfull(Experiment, ProgrammingModel(ProgrammingModelType.Mpionly, ProgrammingModelType.Cuda)):

    variant("workload", default="himeno", values=("himeno", "hpcg", "npb", "probe"), description="the workload")

    variant("version", default="main", values=("main",), description="version of the package")

    def compute_applications_section(self):
        sizes = {"himeno": "L", "hpcg": "128x128x128", "npb": "C"}
        for workload, size in sizes.items():
            if self.spec.satisfies(f"workload={workload}"):
                self.add_experiment_variable("size", size, True)
        # A rank for each GPU, or for each node.
        self.add_experiment_variable("n_gpus" if self.spec.satisfies("+cuda") else "n_ranks", 1, True)
        self.set_required_variables(n_resources="1", process_problem_size="{size}", total_problem_size="{size}")

    def compute_package_section(self):
        self.add_package_spec(self.name, [f"bankfull{self.determine_version()} +mpi"])
