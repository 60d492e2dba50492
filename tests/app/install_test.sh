#!/usr/bin/env bash
# Installs bankfull into an empty folder and builds and runs the examples against it, with the tools of the build itself.
#
#   install_test.sh BUILD_DIR SOURCE_DIR CXX GENERATOR MAKE_PROGRAM BUILD_TYPE

set -euo pipefail
build=$1 source=$2 cxx=$3 generator=$4 make_program=$5 build_type=$6
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

cmake --install "$build" --config "$build_type" --prefix "$folder/prefix" >"$folder/log"
"$folder/prefix/bin/bankfull" list >/dev/null
"$folder/prefix/bin/bankfull" convect --list-cases | grep -q "cases in $folder/prefix/share/bankfull/cases"
share=$folder/prefix/share
manual=(man/man1/bankfull.1 man/man1/bankfull-scaling-himeno.1 bash-completion/completions/bankfull \
  zsh/site-functions/_bankfull fish/vendor_completions.d/bankfull.fish)
if [ -d "$build/manual" ]; then # not of a build for another processor
  for file in "${manual[@]}"; do
    [ -s "$share/$file" ] || { echo "$file is not installed"; exit 1; }
  done
fi
cp -r "$source/examples" "$folder/examples"
cmake -S "$folder/examples" -B "$folder/build" -G "$generator" -DCMAKE_MAKE_PROGRAM="$make_program" \
  -DCMAKE_PREFIX_PATH="$folder/prefix" -DCMAKE_CXX_COMPILER="$cxx" -DCMAKE_BUILD_TYPE="$build_type" >>"$folder/log" ||
  { cat "$folder/log"; exit 1; }
cmake --build "$folder/build" --config "$build_type" >>"$folder/log" || { cat "$folder/log"; exit 1; }
"$folder/build/smooth"
"$folder/build/poisson"
