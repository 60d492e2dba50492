# shellcheck shell=bash
# Shared by the scripts beside this file and .ci/run: source it, do not run it. Goes to the repository's root.

cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit

say() { printf '==> %s\n' "$*"; }

# One line for the person who ran the script, then stop.
die() {
  printf 'error: %s\n' "$*" >&2
  exit 1
}

# The comment at the top of the calling script.
usage() { sed -n '2,/^[^#]*$/s/^# \{0,1\}//p' "$1"; }

# Show a command, then run it.
run() {
  printf '\n$ %s\n' "$*"
  "$@"
}

has_command() { command -v "$1" >/dev/null 2>&1; }

# version_at_least 3.25.1 3.25
version_at_least() { [ "$(printf '%s\n%s\n' "$2" "$1" | sort -V | head -n 1)" = "$2" ]; }

# llvm_tool clang-format 14: prints the tool's name; other versions format and warn differently.
llvm_tool() {
  if has_command "$1-$2"; then
    echo "$1-$2"
  elif has_command "$1" && "$1" --version | grep -q "version $2\."; then
    echo "$1"
  else
    die "$1 $2 not found; scripts/install-deps --dev installs it"
  fi
}

# Our files with the given endings: tracked, and new ones that git does not ignore.
source_files() {
  local file
  git ls-files --cached --others --exclude-standard -- "$@" | sort -u | while read -r file; do
    if [ -f "$file" ]; then printf '%s\n' "$file"; fi
  done
}
