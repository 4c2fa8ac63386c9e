#!/usr/bin/env python3
"""The terminal suite under ThreadSanitizer, in bounded form: its report has to be empty.

IBSCOPE names a program built with -fsanitize=thread (build/ibscope-tsan); a
program with a race lies beside it (racy), and has to be found out first, or else
an empty report would mean nothing.  Arguments: names of tests.
"""
import glob
import os
import subprocess
import sys
import tempfile

os.environ.setdefault("STEPS", "40")
REPORTS = tempfile.mkdtemp(prefix="ibscope-tsan-")
LOG = os.path.join(REPORTS, "report")
os.environ["TSAN_OPTIONS"] = f"log_path={LOG}:exitcode=0:second_deadlock_stack=1"

import run as tui  # noqa: E402  (it takes its settings from the environment)

SCRIPTS = ["browse", "change", "compare", "cycle", "edits", "fold", "pick", "repl", "stop"]
FABRIC = "-R minhop xgft:6,6:1,3"


def reports():
    """What the sanitizer has written since the last call."""
    texts = []
    for path in glob.glob(LOG + ".*"):
        with open(path, encoding="utf-8", errors="replace") as f:
            texts.append(f.read())
        os.unlink(path)
    return "".join(texts)


def control():
    racy = os.path.join(os.path.dirname(tui.PROGRAM), "racy")
    subprocess.run([racy], stdout=subprocess.DEVNULL, check=True)
    if "data race" not in reports():
        raise tui.Failed("the sanitizer does not find the race of " + racy)


def explorer(keys, ends=True):
    """Start, do what keys() does with the terminal, and see the program end."""
    t = tui.Terminal(size=(120, 40))
    try:
        t.start(FABRIC + "; echo ended $?")
        t.wait(r"minhop routed")
        keys(t)
        if ends:
            t.wait(r"^ended 0")
    finally:
        t.close()


def run_commands(t, *lines):
    """Hand commands over as one script: what is typed into the REPL later cannot get between them."""
    path = os.path.join(t.dir, "script")
    with open(path, "w", encoding="utf-8") as f:
        f.write("\n".join(lines) + "\n")
    t.keys(":")
    t.wait("▸REPL")
    t.type("source " + path)
    t.keys("Enter")


def quit_by_command():
    explorer(lambda t: (t.keys(":"), t.wait("▸REPL"), t.type("quit"), t.keys("Enter")))


def quit_by_script():
    """A script ends the program from within, with panes at work."""
    explorer(lambda t: run_commands(t, "pane compare minhop updn", "fail random 2", "undo", "quit"))


def quit_at_work():
    """F10 while a command runs and panes compute."""
    explorer(lambda t: (run_commands(t, "pane compare minhop updn", "survey links", "shifts"), t.keys("F10")))


def changes_under_panes():
    """Events follow each other while every kind of pane computes from the one before, and keys move in it."""
    panes = ["ports", "hosts", "pairs", "changes", "histogram", "usage", "compare minhop updn", "cdg", "layers",
             "hops leaf-01", "ranks", "bars"]
    lines = []
    for i, pane in enumerate(panes):
        lines += ["pane " + pane, "fail random 1 seed=%d" % (i + 1), "route " + ("updn", "minhop", "lash")[i % 3],
                  "undo"]

    def keys(t):
        run_commands(t, "focus list", *lines, "clear", "echo all-done")
        t.wait("▸REPL", absent=True)    # keys go to panes
        for _ in range(20):
            t.keys("Down", "Right", "Tab")
        t.wait(r"^. all-done")
        t.keys("F10")
    explorer(keys)


def scopes_under_panes():
    """The hosts that count change again and again: the sweep is copied while panes take and give back references of it."""
    lines = []
    for i, pane in enumerate(["hosts", "pairs", "histogram", "compare minhop updn", "usage", "cdg", "elements", "bars"]):
        lines += ["pane " + pane]
        lines += ["scope node000[%d-9]" % (n % 7 + 1) if n % 3 else "scope all" for n in range(i, i + 6)]

    def keys(t):
        run_commands(t, "focus list", *lines, "clear", "echo all-done")
        t.wait("▸REPL", absent=True)
        for _ in range(10):
            t.keys("Down", "Tab")
        t.wait(r"^. all-done")
        t.keys("F10")
    explorer(keys)


def cancelled():
    """Esc, C-c stop commands and panes, C-l makes panes go on, whatever they find at work."""
    def keys(t):
        run_commands(t, "pane compare minhop updn dnup", "survey links", "load-map", "shifts")
        for key in ("Escape", "C-c", "C-l", "Escape", "C-l", "C-c"):
            t.keys(key)
        t.keys("F10")
    explorer(keys)


def fabrics_replaced():
    """The fabric goes away under panes that draw and compute it."""
    lines = []
    for spec in ("ring:6", "torus:4x4", "xgft:4,4:1,2", "mesh:3x3"):
        lines += ["synth " + spec, "route minhop", "pane pairs", "pane histogram"]

    def keys(t):
        run_commands(t, *lines, "clear", "echo all-done")
        t.wait(r"^. all-done")
        t.keys("F10")
    explorer(keys)


def rows_by_threads():
    """A fabric whose tables are filled by several threads, first and after failures, with panes at work."""
    def keys(t):
        run_commands(t, "synth xgft:12,12,36:1,12,12", "pane usage", "route minhop", "fail random 2 seed=1", "route updn", "shifts", "fail random 2 seed=2",
                     "undo", "clear", "echo all-done")
        t.wait(r"^. all-done")
        t.keys("F10")
    explorer(keys)


def script(name):
    return lambda: tui.run_script(os.path.join(tui.HERE, name + ".test"))


def checked(test):
    """"" or what went wrong, reports first."""
    why = ""
    try:
        test()
    except (tui.Failed, subprocess.SubprocessError, OSError) as e:
        why = str(e)
    text = reports()
    return "\n".join(part for part in (text, why) if part)


def main():
    tests = {"control": control}
    tests.update((name, script(name)) for name in SCRIPTS)
    for test in (quit_by_command, quit_at_work, quit_by_script, changes_under_panes, scopes_under_panes, cancelled, fabrics_replaced,
                 rows_by_threads, tui.random_keys):
        tests[test.__name__] = test
    wanted = sys.argv[1:] or list(tests)
    failed = 0
    for name in wanted:
        why = checked(tests[name])
        if why:
            failed += 1
            print("FAIL tsan/%s: %s" % (name, why[:6000]), flush=True)
    os.rmdir(REPORTS)
    print("%d passed, %d failed" % (len(wanted) - failed, failed))
    return 1 if failed or not wanted else 0


if __name__ == "__main__":
    sys.exit(main())
