"""bankfull as a package of Spack 1.0 or newer, built from a clone:

    spack repo add packaging/spack/spack_repo/bankfull
    spack env create bankfull && spack env activate bankfull
    spack add bankfull@main
    spack develop --path "$PWD" bankfull@main
    spack install

The sources have no public address yet. Once they have one, `git`, `homepage` and versions with
checksums belong here.
"""

from spack_repo.builtin.build_systems.cmake import CMakePackage
from spack_repo.builtin.build_systems.cuda import CudaPackage

from spack.package import *


class Bankfull(CMakePackage, CudaPackage):
    """Memory-bandwidth-bound CFD workloads (Himeno, HPCG, NAS kernels, thermal convection),
    verified and measured against the machine's ceiling."""

    license("Apache-2.0")

    version("main", branch="main")

    variant("mpi", default=True, description="Runs on several ranks")
    variant("hdf5", default=True, description="Checkpoints and fields of convection")
    variant("eigen", default=True, description="Direct solves on several stretched axes")

    depends_on("c", type="build")
    depends_on("cxx", type="build")
    depends_on("cmake@3.25:", type="build")
    depends_on("ninja", type="build")
    depends_on("cli11@2.1:")
    depends_on("fmt@9:")
    depends_on("libpng")
    depends_on("muparser@2.3:")
    depends_on("nlohmann-json@3.10:")
    depends_on("tomlplusplus")
    depends_on("zlib-api")
    depends_on("eigen@3.4", when="+eigen")
    # The serial library: rank 0 writes the files.
    depends_on("hdf5@1.10.7:~mpi", when="+hdf5")
    depends_on("hwloc")
    depends_on("mpi", when="+mpi")
    depends_on("cuda@12.4:", when="+cuda")

    requires("%gcc@12:", msg="bankfull is built with g++ 12 or newer")
    conflicts("cuda_arch=none", when="+cuda", msg="name the GPUs: cuda_arch=90")

    generator("ninja")

    def cmake_args(self):
        args = [
            self.define_from_variant("BANKFULL_CUDA", "cuda"),
            self.define_from_variant("BANKFULL_EIGEN", "eigen"),
            self.define_from_variant("BANKFULL_HDF5", "hdf5"),
            self.define_from_variant("BANKFULL_MPI", "mpi"),
            # Spack's compiler wrapper names the processor of the target.
            self.define("BANKFULL_NATIVE", False),
            # Spack has no package of stb: pictures of convection have no frame.
            self.define("BANKFULL_STB", False),
            self.define("BANKFULL_TESTS", False),
            self.define("BANKFULL_EXAMPLES", False),
        ]
        if self.spec.satisfies("+cuda"):
            architectures = self.spec.variants["cuda_arch"].value
            args.append(self.define("CMAKE_CUDA_ARCHITECTURES", architectures))
        return args
