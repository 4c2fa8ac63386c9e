#!/bin/sh
# Thirteen questions to a fabric, answered by jq: jq_recipes.sh FABRIC [ENGINE].  Each answer begins with its number.
set -eu
fabric=$1 engine=${2:-minhop}
ask() { # NUMBER COMMANDS FILTER
	printf '# %s\n' "$1"
	{ "${IBSCOPE:-ibscope}" --json -R "$engine" -e "$2" "$fabric" || [ $? -ne 2 ]; } | jq -rcs "map(select(.command != \"load\" and .command != \"route\")) | $3"
}
ask 1 'check' '.[-1].sound'                                                             # is it sound?
ask 2 'check' '.[-1].faults[] | "\(.count) \(.kind)"'                                   # what is wrong, counted
ask 3 'show' '.[-1].fabric | [.switches, .hosts, .links] | @csv'                        # sizes
ask 4 'load-map' '.[-1].loads.ports[:5][] | [.routes, .from, .to] | @tsv'               # the five busiest links
ask 5 'survey links' '.[-1].survey | map(select(.bad)) | length'                        # links that hurt
ask 6 'survey switches' '.[-1].survey | max_by(.lost) | [.what, .lost] | @tsv'          # the worst switch
ask 7 'doctor' '.[-1].findings | group_by(.severity)[] | [.[0].severity, length] | @tsv' # findings by severity
ask 8 'list hosts' '.[-1].rows[] | select(.state != "up") | .about.name'                # hosts that are not up
ask 9 'list switches' '[.[-1].rows[].about | {(.guid): .name}] | add'                   # names by GUID
ask 10 'check' '.[-1].check.max_links'                                                  # the longest path
ask 11 'trace 1 2; trace 2 1' 'map(.forward.links) | unique | length == 1'              # as long back as forth
ask 12 'fail random 1; check' '.[-1] | [.cut_off, .between_survivors] | @csv'           # pairs that a random failure costs
ask 13 'frob' '.[-1] | [.ok, .error_kind] | @csv'                                       # a failure, by its kind
