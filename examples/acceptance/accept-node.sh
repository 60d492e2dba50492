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
#   2  the check itself cannot run: no program, bad options, a launcher that refuses, a full disk. No reason to drain nodes
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
record=$folder/acceptance.json

# Both stand in the first level of the JSON. The verdict: "accepted", "failed", "disturbed", "no baseline".
verdict_in() { sed -n 's/^  "verdict": "\(.*\)",\{0,1\}$/\1/p' "$1"; }
code_in() { sed -n 's/^  "exit_code": \([0-9]*\),\{0,1\}$/\1/p' "$1"; }

# Which file that is: the program puts a new one in place of what an earlier run left.
identity_of() { ls -di -- "$1" 2>/dev/null; }

in_one_line() { paste -s -d ';' -; }

say() { printf '%s: %s\n' "$(uname -n)" "$1"; }

take_out() {
  say "take out of service: $1"
  if [ "$drain" = yes ]; then
    # Slurm's own name of the node, where it runs this.
    node=${SLURMD_NODENAME:-$(uname -n | cut -d. -f1)}
    scontrol update "nodename=$node" state=drain "reason=bankfull: $1" ||
      say "scontrol could not drain $node (exit code $?): the node is still in service" >&2
  fi
  exit 1
}

could_not_run() {
  # Here launchers and the shell have their say, too.
  say "the check could not run (exit code $code): ${why:-$(in_one_line <"$messages")}"
  exit 2
}

messages=$(mktemp) || exit 2
trap 'rm -f "$messages"' EXIT
# The record of an earlier run stays until there is a new one, for checks that look for it meanwhile.
earlier=$(identity_of "$record")
# The variable may hold a launcher with its options.
# shellcheck disable=SC2086
${BANKFULL:-bankfull} accept --quiet --output "$folder" "$@" >/dev/null 2>"$messages"
code=$?

# Each device that is not as it should be has a line there. Lines of a launcher are no reason.
why=$(sed -n 's/^bankfull: //p' "$messages" | in_one_line)
verdict=
recorded_code=
# What an earlier run left says nothing of this one.
if [ "$(identity_of "$record")" != "$earlier" ]; then
  verdict=$(verdict_in "$record")
  recorded_code=$(code_in "$record")
fi
case $code in
  0)
    say "${verdict:-the check left no record}"
    [ -n "$verdict" ] || exit 2
    ;;
  1)
    # Launchers that refuse and full disks end with 1, too, and leave no record.
    [ "$recorded_code" = 1 ] || could_not_run
    take_out "a run failed: $why"
    ;;
  3) take_out "wrong results: $why" ;;
  4)
    if [ "$verdict" = disturbed ]; then
      say "disturbed, measure again: $why"
    else
      take_out "too slow: $why"
    fi
    ;;
  *) could_not_run ;;
esac
