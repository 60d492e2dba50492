#!/bin/sh
# Whether a node is as fast as others of its kind: for cron, for Slurm's epilog, for a script that accepts new nodes.
#
#   accept-node.sh [--drain] [FOLDER [options of bankfull accept]]
#
# FOLDER is that of the results (acceptance), with acceptance.json, which the check of nhc/ reads.
# --drain takes a node that is too slow out of Slurm's service, with the reason. It prints one line. Exit codes:
#
#   0  the node can work: it is accepted, there is no baseline for its devices, or something disturbed the measurement
#   1  take it out of service: a device is too slow, a verification failed, or a run failed
#   2  the check itself cannot run: no program, or bad options. No reason to drain nodes
#
# BANKFULL names the program, if it is not in PATH. A node with several GPUs: BANKFULL="mpirun -n 4 bankfull".

set -u

drain=no
if [ "${1-}" = --drain ]; then
  drain=yes
  shift
fi
folder=${1-acceptance}
[ $# -eq 0 ] || shift

# The verdict stands in the first level of the JSON: "accepted", "failed", "disturbed", "no baseline".
verdict_in() { sed -n 's/^  "verdict": "\(.*\)",\{0,1\}$/\1/p' "$1" 2>/dev/null; }

say() { printf '%s: %s\n' "$(uname -n)" "$1"; }

take_out() {
  say "take out of service: $1"
  if [ "$drain" = yes ]; then
    scontrol update "nodename=$(uname -n | cut -d. -f1)" state=drain "reason=bankfull: $1"
  fi
  exit 1
}

# What an earlier run left says nothing of this one.
rm -f -- "$folder/acceptance.json"
messages=$(mktemp) || exit 2
trap 'rm -f "$messages"' EXIT
# The variable may hold a launcher with its options.
# shellcheck disable=SC2086
${BANKFULL-bankfull} accept --quiet --output "$folder" "$@" >/dev/null 2>"$messages"
code=$?

# Each device that is not as it should be has a line there.
why=$(sed 's/^bankfull: //' "$messages" | paste -s -d ';' -)
verdict=$(verdict_in "$folder/acceptance.json")
case $code in
  0)
    say "${verdict:-the check left no record}"
    [ -n "$verdict" ] || exit 2
    ;;
  1) take_out "a run failed: $why" ;;
  3) take_out "wrong results: $why" ;;
  4)
    if [ "$verdict" = disturbed ]; then
      say "disturbed, measure again: $why"
    else
      take_out "too slow: $why"
    fi
    ;;
  *)
    say "the check could not run (exit code $code): $why"
    exit 2
    ;;
esac
