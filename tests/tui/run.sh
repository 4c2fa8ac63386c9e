#!/bin/sh
# Drive the real program in a terminal (tmux) and compare saved screens.
# IBSCOPE=program (default build/ibscope), UPDATE=1 rewrites expected/, arguments: names of tests.
here=$(cd "$(dirname "$0")" && pwd)
exec python3 "$here/run.py" "$@"
