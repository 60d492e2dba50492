#!/usr/bin/env bash
# Installs bankfull into an empty folder and builds and runs the examples against it.
#
#   install_test.sh BUILD_DIR SOURCE_DIR CXX

set -euo pipefail
build=$1 source=$2 cxx=$3
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

cmake --install "$build" --prefix "$folder/prefix" >"$folder/log"
"$folder/prefix/bin/bankfull" list >/dev/null
"$folder/prefix/bin/bankfull" convect --list-cases | grep -q "cases in $folder/prefix/share/bankfull/cases"
cp -r "$source/examples" "$folder/examples"
cmake -S "$folder/examples" -B "$folder/build" -DCMAKE_PREFIX_PATH="$folder/prefix" \
  -DCMAKE_CXX_COMPILER="$cxx" -DCMAKE_BUILD_TYPE=Release >>"$folder/log" || { cat "$folder/log"; exit 1; }
cmake --build "$folder/build" >>"$folder/log" || { cat "$folder/log"; exit 1; }
"$folder/build/smooth"
