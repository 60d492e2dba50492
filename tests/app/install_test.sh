#!/usr/bin/env bash
# Installs bankfull into an empty folder and builds and runs the examples against it, with the tools of the build itself. What
# nvcc (empty: there is none) compiles runs on the CPU where there is no GPU.
#
#   install_test.sh BUILD_DIR SOURCE_DIR CXX GENERATOR MAKE_PROGRAM BUILD_TYPE NVCC [MPIRUN...]

set -euo pipefail
build=$1 source=$2 cxx=$3 generator=$4 make_program=$5 build_type=$6 nvcc=$7
mpirun=("${@:8}")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
fail() { echo "$1"; exit 1; }
logged() { "$@" >>"$folder/log" 2>&1 || { cat "$folder/log"; exit 1; }; }

logged cmake --install "$build" --config "$build_type" --prefix "$folder/prefix"
"$folder/prefix/bin/bankfull" list >/dev/null
[[ $("$folder/prefix/bin/bankfull" convect --list-cases) == *"cases in $folder/prefix/share/bankfull/cases"* ]] ||
  fail "the installed program does not find the installed cases"
share=$folder/prefix/share
installed=(doc/bankfull/LICENSE doc/bankfull/THIRD-PARTY.md doc/bankfull/LICENSES/BSD-3-Clause.txt)
if [ -d "$build/manual" ]; then # not of a build for another processor
  installed+=(man/man1/bankfull.1 man/man1/bankfull-scaling-himeno.1 bash-completion/completions/bankfull
    zsh/site-functions/_bankfull fish/vendor_completions.d/bankfull.fish)
fi
for file in "${installed[@]}"; do
  [ -s "$share/$file" ] || fail "$file is not installed"
done

# Programs see our templates as the library was compiled: for its processor.
march=$("$folder/prefix/bin/bankfull" --version | grep -o -- '-march=[^ ]*' || true)
if [ -n "$march" ] && ! grep -qr --include=bankfullTargets.cmake -- "$march" "$folder"/prefix/lib*; then
  fail "$march is not in the CMake package"
fi

configure() { # source folder, build folder, options
  cmake -S "$1" -B "$2" -G "$generator" -DCMAKE_MAKE_PROGRAM="$make_program" -DCMAKE_PREFIX_PATH="$folder/prefix" \
    -DCMAKE_CXX_COMPILER="$cxx" -DCMAKE_CUDA_COMPILER="$nvcc" "${@:3}"
}
cp -r "$source/examples" "$folder/examples"
logged configure "$folder/examples" "$folder/build" -DCMAKE_BUILD_TYPE="$build_type"
logged cmake --build "$folder/build" --config "$build_type"
for example in smooth poisson minimal stencil conjugate_gradients; do
  "$folder/build/$example"
done
if [ ${#mpirun[@]} -gt 0 ]; then
  OMP_NUM_THREADS=1 "${mpirun[@]}" -n 2 "$folder/build/stencil" | grep '2 ranks: smooth'
  OMP_NUM_THREADS=1 "${mpirun[@]}" -n 2 "$folder/build/conjugate_gradients"
fi

# The page shows the smallest example as it is.
# shellcheck disable=SC2016 # these are no expressions
sed -n '/^```cpp$/,/^```$/p' "$source/docs/library.md" | sed '1d;/^```$/,$d' | diff - "$source/examples/minimal.cpp" ||
  fail "docs/library.md and examples/minimal.cpp differ"

# A component that there is not, and, without a build type, a warning.
mkdir "$folder/consumer"
consumer() { # arguments of find_package
  printf 'cmake_minimum_required(VERSION 3.25)\nproject(consumer LANGUAGES CXX)\nfind_package(bankfull %s)\n' "$1" \
    >"$folder/consumer/CMakeLists.txt"
  configure "$folder/consumer" "$folder/consumer/build" -Dfmt_DIR="${fmt_dir:-}" 2>&1
}
if said=$(consumer "REQUIRED COMPONENTS core solvers"); then
  fail "an unknown component is found"
fi
grep -q solvers <<<"$said" || fail "an unknown component is not named: $said"
said=$(consumer "0.1 REQUIRED COMPONENTS core") || fail "$said"
[[ $generator == *Multi* ]] || grep -q 'CMAKE_BUILD_TYPE is empty' <<<"$said" || fail "no warning without a build type: $said"

# fmt of another major version, with which nothing would link.
mkdir "$folder/fmt"
echo 'set(PACKAGE_VERSION 99.1.0)
set(PACKAGE_VERSION_COMPATIBLE TRUE)' >"$folder/fmt/fmt-config-version.cmake"
touch "$folder/fmt/fmt-config.cmake"
if other=$(fmt_dir=$folder/fmt consumer "REQUIRED"); then
  fail "another fmt is accepted"
fi
grep -q 'fmt 99.1.0' <<<"$other" || fail "another fmt is not named: $other"

# What public functions take is public, too.
printf '#include <bankfull/numerics.hpp>\nusing namespace bankfull;\nint f(const HostCsr& matrix, Colour* colours) { const CpuExecutor on(1); return colour_greedily(on, load_csr(on, matrix).view(), colours); }\n' >"$folder/sparse.cpp"
logged "$cxx" -std=c++20 -fopenmp -fsyntax-only -I "$folder/prefix/include" "$folder/sparse.cpp"

# nvcc reads all of it, too, without a warning.
if [ -n "$nvcc" ]; then
  echo '#include <bankfull/bankfull.hpp>' >"$folder/all.cu"
  logged "$nvcc" -std=c++20 -Werror all-warnings -I "$folder/prefix/include" -c "$folder/all.cu" -o "$folder/all.o"
fi

# A wrong value type is an error of compilation that says what is right.
refuses() { # statement, message
  printf '#include <bankfull/numerics.hpp>\nusing namespace bankfull;\nvoid f(const DecomposedGrid& grid, const HaloSetup& setup) { %s; static_cast<void>(grid); static_cast<void>(setup); }\n' \
    "$1" >"$folder/wrong.cpp"
  if said=$("$cxx" -std=c++20 -fopenmp -fsyntax-only -I "$folder/prefix/include" "$folder/wrong.cpp" 2>&1); then
    fail "$1 compiles"
  fi
  grep -q "static assertion failed: $2" <<<"$said" || fail "no sentence refuses $1: $said"
}
refuses 'FieldSet<long double[3]> fields(grid.layout(8), 1, Device::cpu())' 'fields hold values whose size divides 128 bytes'
refuses 'GridFields<int> fields(grid, 1, Team(1))' 'halos are exchanged of fields of float or double'
refuses 'make_halo_exchange<int>(setup, Team(1))' 'halos are exchanged of fields of float or double'
refuses 'poisson::make_cpu_multigrid<int>({}, {}, 1)' 'Poisson equations are solved in float or double'
refuses 'value_of<float>({}, "x")' 'figures are bool'
