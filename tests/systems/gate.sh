#!/bin/sh
# A gate for CI before a change window: gate.sh FABRIC PLAN.csv [ENGINE] [LIMIT...] writes junit.xml beside the plan.
# Status 0: no link of the plan, alone, in order or all at once, breaks a limit; 1: some do, they are printed; 3: cannot be told.
set -u
fabric=$1 plan=$2 engine=${3:-minhop}
shift $(($# < 3 ? $# : 3))
[ $# -gt 0 ] || set -- lost=0 loops=0 load=+20% longest=+0
said=$("${IBSCOPE:-ibscope}" -R "$engine" -e "survey file '$plan' junit '${plan%.csv}.xml' gate $*" "$fabric")
status=$?
printf '%s\n' "$said" | sed -n '/^Gate/,$p'
exit $status
