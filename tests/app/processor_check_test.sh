#!/usr/bin/env bash
# A program compiled for a level of x86-64 says so on processors below it: in an emulator, where there is one.
#
#   processor_check_test.sh SOURCE_DIR CXX        exit code 77: skipped

set -euo pipefail
source=$1 cxx=$2
[ "$(uname -m)" = x86_64 ] || exit 77
command -v qemu-x86_64 >/dev/null || exit 77
"$cxx" -dM -E -x c++ /dev/null | grep -q __clang__ && exit 77
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

sed 's/@BANKFULL_ARCH@/x86-64-v3/' "$source/bankfull/app/processor_check.cpp.in" >"$folder/check.cpp"
# Its constructor needs AVX2, as those of the program do.
cat >"$folder/main.cpp" <<'END'
struct Vector { double lanes [[gnu::vector_size(32)]]; };
volatile int seed = 2;
Vector sums = {{1.0 * seed, 2.0 * seed, 3.0 * seed, 4.0 * seed}};
int main() { return sums.lanes[3] == 8 ? 0 : 9; }
END
"$cxx" -std=c++20 -O2 -march=x86-64 -c "$folder/check.cpp" -o "$folder/check.o"
"$cxx" -std=c++20 -O2 -march=x86-64-v3 "$folder/main.cpp" "$folder/check.o" -o "$folder/program"

status=0
qemu-x86_64 -cpu max "$folder/program" || status=$?
[ $status = 0 ] || { echo "exit code $status on a processor that has the level"; exit 1; }
status=0
output=$(qemu-x86_64 -cpu Nehalem "$folder/program" 2>&1) || status=$?
if [ $status != 1 ] || [[ $output != "error: "*"x86-64-v3"* ]]; then
  echo "exit code $status and '$output' on a processor that lacks it"
  exit 1
fi
status=0
qemu-x86_64 -cpu Nehalem "$folder/program" 2>&- || status=$?
[ $status = 1 ] || { echo "exit code $status where nobody listens"; exit 1; }
