#!/bin/sh
# Run test suites and add up their results: tests/run.sh [SUITE...], without names all of them.
# Every suite ends with a line "N passed, N failed"; the last line is their sum.  A suite that
# ends with anything else, or with a status that does not go with its line, has failed.
# A SUITE with a "/" in it is a program to run as a suite.
# Several suites run as a pool, JOBS at a time (two a processor, for many wait);
# what they said comes in the order of the names.
# LONG=1 runs the long random parts, and ThreadSanitizer's, too.
# PARTS="NAME ..." runs these tests of a suite (verify, sessions, files, trouble, live, incidents) alone.
# BUILD names the folder of the programs.  Exit status 1 when anything failed.
SUITES="includes docs topics lessons harness unit fuzz-corpus build static extend large topo model figures guide plan engines reasons drained gpus ibdmchk script verify sessions changes incomplete formats live incidents lying contract memcheck counts same cli systems drawings paste files memory stop trouble hostile tui driver keys parity advised"
NIGHTLY="tsan"
# What takes longest begins first.
FIRST="tsan stop unit parity tui live build verify lying memory static extend files advised driver keys hostile"

# Signals that the caller ignores (nohup, a background job of a script) are as usual for the tests.
[ "$SIGNALS" = usual ] || exec env --default-signal=HUP,INT,QUIT,TERM,PIPE SIGNALS=usual "$0" "$@"

BUILD=${BUILD:-build}
export BUILD
cd "$(dirname "$0")/.." || exit 2
# Where python3 is a script of pyenv that looks for the real one, it looks once, not for each suite: half a second of processor.
case $(command -v python3) in
*/shims/*)
	PATH=$(python3 -c 'import os, sys; print(os.path.dirname(sys.executable))'):$PATH
	export PATH
	;;
esac
if [ "$LONG" = 1 ]; then
	SUITES="$SUITES $NIGHTLY"
	COMMANDS=${COMMANDS:-50000}
	LOOK_MOMENTS=${LOOK_MOMENTS:-8}
	export LOOK_MOMENTS
	GUIDED=${GUIDED:-2000}
	MODELLED=${MODELLED:-700}
	FIGURED=${FIGURED:-2000}
	REASONED=${REASONED:-400}
	DRAINED=${DRAINED:-2000}
	GPUS=${GPUS:-2000}
	BLAMED=${BLAMED:-200}
	DRAIN_FABRICS=${DRAIN_FABRICS:-2000}
	export GUIDED MODELLED FIGURED REASONED DRAINED GPUS BLAMED DRAIN_FABRICS
else
	# the same classes by fewer cases, others each time: what is drawn is drawn by a new seed
	COMMANDS=${COMMANDS:-1500}
	KEYS=${KEYS:-120}
	STEPS=${STEPS:-90}
	PASTED=${PASTED:-1500}
	PARITY_ASKED=${PARITY_ASKED:-5}
	PARITY_OTHERS=${PARITY_OTHERS:-2}
	PARITY_SECONDS=${PARITY_SECONDS:-0}
	PARITY_LEAST=${PARITY_LEAST:-6}
	PARITY_LEAKS=${PARITY_LEAKS:-8}
	PARITY_SANE=${PARITY_SANE:-4}
	MOMENTS=${MOMENTS:-6}
	# what was freed is kept for a while, not for ever, and its stacks are short: half the time
	ASAN_OPTIONS=${ASAN_OPTIONS:-quarantine_size_mb=16:malloc_context_size=8}
	export STEPS PASTED MOMENTS PARITY_ASKED PARITY_OTHERS PARITY_SECONDS PARITY_LEAST PARITY_LEAKS PARITY_SANE ASAN_OPTIONS
fi

# cmocka programs, two at a time: one summary line of each is turned into ours
unit() {
	passed=0
	failed=0
	# names have no blanks
	# shellcheck disable=SC2016
	basename -s .c tests/unit/test_*.c | xargs -P 2 -n 1 sh -c \
		'timeout 1200 "$0/unit-tests" "$2" >"$1/$2.log" 2>&1; echo $? >"$1/$2.status"' "$BUILD" "$work"
	for t in tests/unit/test_*.c; do
		name=$(basename "$t" .c)
		out=$(cat "$work/$name.log")
		status=$(cat "$work/$name.status")
		p=$(printf '%s\n' "$out" | sed -n 's/^\[  PASSED  \] \([0-9]*\) test.*/\1/p' | awk '{n += $1} END {print n + 0}')
		f=$(printf '%s\n' "$out" | sed -n 's/^\[  FAILED  \] \([0-9]*\) test.*/\1/p' | awk '{n += $1} END {print n + 0}')
		# a program that dies, or runs nothing, has failed
		[ "$status" -ne 0 ] && [ "$f" -eq 0 ] && f=1
		[ "$status" -eq 0 ] && [ "$p" -eq 0 ] && f=1
		[ "$f" -ne 0 ] && printf '%s\n' "$out" | tail -40
		printf '  %-24s %4d passed, %d failed\n' "$name" "$p" "$f"
		passed=$((passed + p))
		failed=$((failed + f))
	done
	echo "$passed passed, $failed failed"
}

# every file of the fuzzing corpora once more, under the sanitizers
fuzz_corpus() {
	passed=0
	failed=0
	for dir in tests/fuzz/corpus/*/; do
		target=fuzz_$(basename "$dir")
		set -- "$dir"*
		while [ $# -gt 0 ]; do
			# it names each file that it survived: what dies at one goes on behind it
			timeout 600 "$BUILD/replay/$target" "$@" >"$BUILD/replay.said" 2>"$BUILD/replay.log"
			n=$(grep -c '^survived ' "$BUILD/replay.said")
			passed=$((passed + n))
			shift "$n"
			[ $# -gt 0 ] || break
			failed=$((failed + 1))
			echo "$target fails on $1"
			tail -20 "$BUILD/replay.log"
			shift
		done
	done
	echo "$passed passed, $failed failed"
}

# random command lines under the sanitizers, half of them in each of two processes
driver() {
	for n in 1 2; do
		"$BUILD/soak/driver" --count "$COMMANDS" --keep "$BUILD/soak/lines.$n" ${SEED:+--seed "$SEED$n"} \
			>"$BUILD/soak/said.$n" 2>&1 &
		eval "pid$n=$!"
	done
	passed=0
	for n in 1 2; do
		eval "wait \$pid$n" && passed=$((passed + 1))
		grep -v -e '^tried ' -e ' passed, ' "$BUILD/soak/said.$n" | head -n 60
	done
	echo "$passed passed, $((2 - passed)) failed"
}

# names have no blanks
# shellcheck disable=SC2086
suite() {
	case $1 in
	includes) # of the objects, too
		make -s all BUILD="$BUILD" && python3 tests/includes.py
		;;
	docs) python3 tests/docs.py ;;
	topics) IBSCOPE="$BUILD/ibscope" python3 tests/topics.py ;;
	lessons) IBSCOPE="$BUILD/ibscope" python3 tests/lessons.py ;;
	harness) python3 tests/harness.py ;;
	unit) unit ;;
	fuzz-corpus) fuzz_corpus ;;
	driver) driver ;;
	build) python3 tests/build/run.py ;;
	static) python3 tests/static/run.py "$BUILD" ;;
	extend) python3 tests/extend/run.py ;;
	large) IBSCOPE="$BUILD/ibscope" python3 tests/parity/large.py ;;
	topo) IBSCOPE="$BUILD/ibscope" python3 tests/topo/run.py ;;
	parity) IBSCOPE="$BUILD/ibscope-san" python3 tests/parity/run.py ;;
	advised) IBSCOPE="$BUILD/ibscope-san" python3 tests/parity/advised.py ;;
	model) IBSCOPE="$BUILD/ibscope" python3 tests/model/run.py ;;
	plan) IBSCOPE="$BUILD/ibscope" python3 tests/model/plan.py ;;
	figures) IBSCOPE="$BUILD/ibscope" python3 tests/model/figures.py ;;
	guide) IBSCOPE="$BUILD/ibscope" python3 tests/model/guide.py ;;
	engines) IBSCOPE="$BUILD/ibscope" python3 tests/model/engines.py ;;
	reasons) IBSCOPE="$BUILD/ibscope" python3 tests/model/reasons.py ;;
	drained) IBSCOPE="$BUILD/ibscope" python3 tests/model/drained.py ;;
	gpus) IBSCOPE="$BUILD/ibscope" python3 tests/model/gpus.py ;;
	ibdmchk) IBSCOPE="$BUILD/ibscope" python3 tests/topo/ibdmchk.py ;;
	systems) IBSCOPE="$BUILD/ibscope" python3 tests/systems/run.py $PARTS ;;
	sessions) IBSCOPE="$BUILD/ibscope" python3 tests/sessions/run.py $PARTS ;;
	changes) IBSCOPE="$BUILD/ibscope" python3 tests/sessions/changes.py ;;
	script) IBSCOPE="$BUILD/ibscope-san" python3 tests/script/run.py $PARTS ;;
	formats) IBSCOPE="$BUILD/ibscope" python3 tests/formats/run.py ;;
	incomplete) IBSCOPE="$BUILD/ibscope" python3 tests/sessions/incomplete.py ;;
	verify) IBSCOPE="$BUILD/ibscope" python3 tests/verify/run.py $PARTS ;;
	live) python3 tests/live/run.py "$BUILD/live/probe" "$BUILD/ibscope" ;;
	incidents) IBSCOPE="$BUILD/ibscope" python3 tests/incidents/run.py $PARTS ;;
	lying) python3 tests/live/lying.py "$BUILD/ibscope-san" "$BUILD/live/lie.so" ;;
	contract) IBSCOPE="$BUILD/ibscope" python3 tests/contract.py ;;
	same) IBSCOPE="$BUILD/ibscope" python3 tests/same/run.py ;;
	memcheck) IBSCOPE="$BUILD/ibscope" python3 tests/memcheck.py ;;
	counts) IBSCOPE="$BUILD/ibscope" python3 tests/bench/counts.py ;;
	cli) IBSCOPE="$BUILD/ibscope" python3 tests/cli/run.py ;;
	drawings) IBSCOPE="$BUILD/ibscope" python3 tests/drawings/run.py ;;
	files) IBSCOPE="$BUILD/ibscope" python3 tests/files/run.py $PARTS ;;
	memory) IBSCOPE="$BUILD/ibscope" FAIL="$BUILD/memory/fail.so" python3 tests/memory/run.py ;;
	trouble) python3 tests/trouble/run.py "$BUILD/ibscope" "$BUILD/trouble/clock.so" $PARTS ;;
	stop) IBSCOPE="$BUILD/ibscope" LOOKS="$BUILD/stop/looks" python3 tests/stop/run.py ;;
	hostile) IBSCOPE="$BUILD/ibscope" python3 tests/hostile/run.py ;;
	paste) IBSCOPE="$BUILD/ibscope" python3 tests/cli/paste.py ;;
	tsan) IBSCOPE="$BUILD/ibscope-tsan" python3 tests/tui/races.py ;;
	keys) "$BUILD/keys" ${KEYS:+--random "$KEYS" --of 8} ;;
	tui) IBSCOPE="$BUILD/ibscope" python3 tests/tui/run.py ;;
	*/*) "$1" ;;
	*)
		echo "unknown suite $1; there are $SUITES $NIGHTLY"
		return 2
		;;
	esac
}

work=
# --one DIR NUMBER SUITE: the output of a suite of the pool, its status and seconds in files
if [ "$1" = --one ]; then
	work=$(mktemp -d)
	trap 'rm -rf "$work"' EXIT
	trap 'exit 1' INT TERM
	begun=$(date +%s)
	suite "$4" >"$2/$3.log" 2>&1
	status=$?
	# the second line of "times" is what the children took: "1m2.345s 0m6.789s"
	times >"$2/$3.times"
	cpu=$(sed -n '2s/[ms]/ /gp' "$2/$3.times" | awk '{printf "%.0f", 60 * $1 + $2 + 60 * $3 + $4}')
	echo "$status $(($(date +%s) - begun)) s, $cpu of CPU" >"$2/$3.ending"
	mv "$2/$3.ending" "$2/$3.status"
	exit 0
fi

# NUMBER SUITE, what takes longest first
ordered() {
	for f in $FIRST; do
		n=0
		for s in "$@"; do
			n=$((n + 1))
			[ "$s" = "$f" ] && echo "$n $s"
		done
	done
	n=0
	for s in "$@"; do
		n=$((n + 1))
		case " $FIRST " in *" $s "*) ;; *) echo "$n $s" ;; esac
	done
}

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'kill $(jobs -p) 2>/dev/null; exit 1' INT TERM
# names have no blanks: split on purpose
# shellcheck disable=SC2086
[ $# -gt 0 ] || set -- $SUITES
pool=
if [ $# -gt 1 ]; then
	# a shell's background jobs ignore SIGINT: SIGNALS is unset, so that each makes them as usual
	ordered "$@" | xargs -P "${JOBS:-$((2 * $(nproc)))}" -n 2 env -u SIGNALS "$PWD/tests/run.sh" --one "$work" &
	pool=$!
fi
total_passed=0
total_failed=0
number=0
for s in "$@"; do
	number=$((number + 1))
	if [ -n "$pool" ]; then
		log=$work/$number.log
		# the pool ends with the last suite
		while [ ! -e "$work/$number.status" ] && kill -0 "$pool" 2>/dev/null; do sleep 0.2; done
		status='none 0 s'
		[ -e "$work/$number.status" ] && status=$(cat "$work/$number.status")
		echo "== $s (${status#* })"
		status=${status%% *}
		cat "$log"
	else
		log=$work/said
		echo "== $s"
		{
			suite "$s" 2>&1
			echo $? >"$work/status"
		} | tee "$log"
		status=$(cat "$work/status")
	fi
	line=$(tail -n 1 "$log" | grep -Ex '[0-9]+ passed, [0-9]+ failed')
	passed=${line%% passed*}
	failed=${line##*, }
	failed=${failed%% failed}
	if [ -z "$line" ]; then
		echo "suite $s did not reach its last line (status $status)"
		passed=0
		failed=1
	elif [ "$status" != 0 ] && [ "$failed" -eq 0 ]; then
		echo "suite $s ended with status $status"
		failed=1
	elif [ $((passed + failed)) -eq 0 ]; then
		echo "suite $s tested nothing"
		failed=1
	fi
	total_passed=$((total_passed + passed))
	total_failed=$((total_failed + failed))
done
echo "$total_passed passed, $total_failed failed"
[ "$total_failed" -eq 0 ]
