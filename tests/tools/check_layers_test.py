#!/usr/bin/env python3
"""Tests of tools/check_layers: a small tree with one violation at a time, and a clean one."""

import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

CHECK_LAYERS = Path(__file__).resolve().parents[2] / "tools" / "check_layers"


def check(files):
    """Exit status and output lines for a tree with these files ({path: text})."""
    with tempfile.TemporaryDirectory() as root:
        (Path(root) / "bankfull").mkdir()
        for path, text in files.items():
            file = Path(root) / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, encoding="utf-8")
        done = subprocess.run(
            [sys.executable, CHECK_LAYERS, root], capture_output=True, text=True, check=False
        )
        return done.returncode, (done.stdout + done.stderr).splitlines()


class CheckLayers(unittest.TestCase):
    def accepts(self, path, text, **more):
        status, lines = check({path: text, **more.get("others", {})})
        self.assertEqual(status, 0, lines)

    def rejects(self, path, line, text, message, **more):
        status, lines = check({path: text, **more.get("others", {})})
        self.assertEqual(status, 1, lines)
        self.assertEqual(len(lines), 1, lines)
        self.assertTrue(lines[0].startswith(f"{path}:{line}: "), lines)
        self.assertIn(message, lines[0])

    def test_lower_layers_may_be_included(self):
        text = '#include "bankfull/core/field/view.hpp"\n#include "bankfull/numerics/fft/plan.hpp"\n'
        self.accepts("bankfull/workloads/himeno/run.cpp", text)

    def test_higher_layers_may_not(self):
        text = '#include <vector>\n#include "bankfull/workloads/himeno/run.hpp"\n'
        self.rejects("bankfull/core/measure/timer.cpp", 2, text, "core must not include")
        text = '#include "bankfull/app/options.hpp"\n'
        self.rejects("bankfull/workloads/himeno/run.cpp", 1, text, "workloads must not include")

    def test_unknown_layers(self):
        self.rejects("bankfull/util/a.cpp", 1, "int a;\n", "belongs to no layer")
        self.rejects("bankfull/app/a.cpp", 1, '#include "bankfull/util/a.hpp"\n', "no layer")

    def test_public_surface(self):
        self.accepts("bankfull/numerics.hpp", '#pragma once\n#include "bankfull/core.hpp"\n#include "bankfull/numerics/a.hpp"\n')
        self.accepts("bankfull/core.hpp", "#pragma once\n#if defined(__CUDACC__)\n#endif\n")
        self.rejects("bankfull/core.hpp", 2, '#pragma once\n#include "bankfull/numerics/a.hpp"\n', "core must not include")
        self.rejects("bankfull/core.hpp", 2, '#pragma once\n#include "bankfull/workloads.hpp"\n', "core must not include")
        self.rejects("bankfull/app/a.cpp", 1, '#include "bankfull/core.hpp"\n', "for those who use the library")
        self.accepts("examples/a.cpp", "#include <bankfull/core.hpp>\n")

    def test_generated_headers_belong_to_all(self):
        self.accepts("bankfull/core/base/a.cpp", '#include "bankfull/build_config.hpp"\n')

    def test_sibling_workloads(self):
        text = '#include "bankfull/workloads/hpcg/run.hpp"\n'
        self.rejects("bankfull/workloads/himeno/run.cpp", 1, text, "sibling hpcg")
        self.rejects("bankfull/workloads/npb/cg/run.cpp", 1, text, "sibling hpcg")
        text = '#include "bankfull/workloads/npb/ft/run.hpp"\n'
        self.rejects("bankfull/workloads/npb/cg/run.cpp", 1, text, "sibling npb/ft")
        self.rejects("bankfull/workloads/himeno/run.cpp", 1, text, "sibling npb/ft")
        text = '#include "bankfull/workloads/npb/classes.hpp"\n'
        self.rejects("bankfull/workloads/himeno/run.cpp", 1, text, "sibling npb")

    def test_what_workloads_share(self):
        text = '#include "bankfull/workloads/npb/classes.hpp"\n'
        self.accepts("bankfull/workloads/npb/cg/run.cpp", text)
        self.accepts("bankfull/workloads/himeno/run.cpp", '#include "bankfull/workloads/a.hpp"\n')
        self.accepts("bankfull/workloads/list.cpp", '#include "bankfull/workloads/himeno/run.hpp"\n')

    def test_only_app_parses_options_and_prints(self):
        path = "bankfull/workloads/himeno/run.cpp"
        self.rejects(path, 1, "#include <CLI/CLI.hpp>\n", "parses options")
        self.rejects(path, 1, "#include <iostream>\n", "prints")
        self.rejects(path, 1, "#include <cstdio>\n", "prints")
        self.rejects(path, 2, "void f() {\n  std::cout << 1;\n}\n", "std::cout")
        self.rejects(path, 1, 'void f() { fmt::print("x"); }\n', "fmt::print")
        self.rejects(path, 1, 'void f() { printf("x"); }\n', "printf")
        self.accepts(path, "int n = snprintf(b, 1, f); auto s = fmt::format(f);\n")
        app = "#include <CLI/CLI.hpp>\n#include <iostream>\nvoid f() { std::cout << 1; }\n"
        self.accepts("bankfull/app/main.cpp", app)
        self.accepts("bankfull/core/base/expects.cpp", "#include <cstdio>\nint n = fprintf(stderr, s);\n")
        self.accepts("examples/a/main.cpp", '#include <iostream>\n#include "bankfull/core/a.hpp"\n')

    def test_cuda_api_only_in_core(self):
        path = "bankfull/workloads/himeno/sweep.cu"
        self.rejects(path, 1, "void f() { cudaMalloc(&p, 8); }\n", "cudaMalloc(")
        self.rejects(path, 1, "void f() { cudaMalloc<float>(&p, 8); }\n", "cudaMalloc")
        self.rejects(path, 1, "void f() { cuMemCreate(&p); }\n", "cuMemCreate(")
        self.rejects(path, 1, "#include <cuda_runtime.h>\n", "CUDA API")
        self.rejects(path, 1, "#include <cuda.h>\n", "CUDA API")
        self.accepts(path, "__global__ void f(cudaStream_t s); auto t = cudaStream_t(0); cufftPlan();\n")
        self.accepts("bankfull/core/exec/stream.cpp", "#include <cuda_runtime.h>\nint e = cudaFree(p);\n")
        self.accepts("bench/copy.cu", "int e = cudaMemcpyAsync(a, b, n);\n")

    def test_mpi_only_in_comm(self):
        path = "bankfull/workloads/himeno/run.cpp"
        self.rejects(path, 1, "void f() { MPI_Barrier(MPI_COMM_WORLD); }\n", "MPI_Barrier(")
        self.rejects(path, 1, "bool f() { return MPIX_Query_cuda_support(); }\n", "MPIX_Query")
        self.rejects("bankfull/core/exec/team.cpp", 1, "#include <mpi.h>\n", "bankfull/core/comm")
        self.accepts(path, "auto kind = Transport::mpi; int MPI_count = 0;\n")
        call = "#include <mpi.h>\nint e = MPI_Init(nullptr, nullptr);\n"
        self.accepts("bankfull/core/comm/session.cpp", call)
        self.accepts("tests/core/comm/raw_mpi_test.cpp", call)

    def test_thrust_and_cub_below_workloads(self):
        text = "#include <cub/device/device_scan.cuh>\n"
        self.accepts("bankfull/numerics/random/scan.cu", text)
        self.rejects("bankfull/workloads/himeno/sweep.cu", 1, text, "cub")
        self.rejects("bankfull/workloads/himeno/sweep.cu", 1, "#include <thrust/sort.h>\n", "thrust")

    def test_project_headers_by_full_name(self):
        self.rejects("bankfull/core/base/a.cpp", 1, '#include "a.hpp"\n', "bankfull/...")
        self.rejects("bankfull/core/base/a.cpp", 1, "#include <bankfull/core/b.hpp>\n", "bankfull/...")
        self.rejects("tests/core/a.cpp", 1, '#include "../support.hpp"\n', "bankfull/...")
        self.accepts("tests/core/a.cpp", '#include "tests/support.hpp"\n')

    def test_pragma_once(self):
        self.rejects("bankfull/core/base/a.hpp", 1, "// #pragma once\nint a();\n", "#pragma once")
        self.accepts("bankfull/core/base/a.hpp", "// What it is.\n#pragma once\nint a();\n")

    def test_conditional_compilation(self):
        path = "bankfull/core/comm/a.cpp"
        self.rejects(path, 2, "\n#ifdef USE_MPI\n#endif\n", "#ifdef")
        self.rejects(path, 1, "#ifndef USE_MPI\n#endif\n", "#ifndef")
        self.rejects(path, 1, "#if defined(USE_MPI)\n#endif\n", "defined")
        self.accepts("bankfull/core/base/macros.cpp", "#ifdef __CUDACC__\n#endif\n")

    def test_cuda_files_without_host_only_headers(self):
        path = "bankfull/core/exec/a.cu"
        self.rejects(path, 1, "#include <fmt/core.h>\n", "nvcc cannot compile <fmt/core.h>")
        self.rejects(path, 1, "#include <toml++/toml.h>\n", "nvcc cannot compile")
        others = {"bankfull/core/base/b.hpp": "#pragma once\n#include <fmt/core.h>\n"}
        text = '#include "bankfull/core/base/b.hpp"\n'
        self.rejects(path, 1, text, "through bankfull/core/exec/a.cu > bankfull/core/base/b.hpp", others=others)

    def test_comments_and_strings_do_not_count(self):
        text = (
            '// #include "x.hpp", cudaMalloc(p)\n/* #ifdef A\n printf( */\n'
            'auto s = "cudaMalloc( // ", t = R"(printf("x") cudaFree(p))"; int n = 1\'000\'000;\n'
        )
        self.accepts("bankfull/workloads/himeno/run.cpp", text)

    def test_wrong_root(self):
        done = subprocess.run([sys.executable, CHECK_LAYERS, "/nowhere"], capture_output=True, check=False)
        self.assertEqual(done.returncode, 1)


if __name__ == "__main__":
    unittest.main()
