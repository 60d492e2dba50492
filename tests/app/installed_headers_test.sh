#!/usr/bin/env bash
# Compiles each installed header alone, as those who use the library may include it: without the headers of MPI and CUDA, which
# are not among the system's, and with none of any other library. Headers for kernels are left to nvcc and the examples, those
# of registers to the processors that have them.
#
#   installed_headers_test.sh BUILD_DIR CXX BUILD_TYPE

set -euo pipefail
build=$1 cxx=$2 build_type=$3
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cmake --install "$build" --config "$build_type" --prefix "$folder" >/dev/null
cd "$folder/include"
for private in core/comm/mpi.hpp core/base/mpi_cuda.hpp core/io/hdf5_file.hpp numerics/poisson/multigrid/cpu/cycle.hpp; do
  [ ! -e "bankfull/$private" ] || { echo "$private is installed"; exit 1; }
done
mapfile -t headers < <(grep -rL --include='*.hpp' --exclude-dir=registers '#include <cuda' bankfull)
[ ${#headers[@]} -gt 100 ] || { echo "only ${#headers[@]} headers are installed"; exit 1; }
if grep -rnE '#include <[^>]*/' "${headers[@]}"; then # the standard's have no folders
  echo "the headers above include those of other libraries"
  exit 1
fi
alone() {
  "$1" -std=c++20 -fopenmp -O0 -fsyntax-only -Wall -Wextra -Wno-missing-field-initializers -Werror -I . -x c++ - <<<"#include \"$2\"" ||
    { echo "$2 does not compile alone"; exit 255; }
}
export -f alone
# shellcheck disable=SC2016 # xargs's shell expands them
printf '%s\n' "${headers[@]}" | xargs -P 2 -I {} bash -c 'alone "$1" "$2"' _ "$cxx" {}
echo "${#headers[@]} headers compile alone"
