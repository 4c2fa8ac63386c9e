#!/usr/bin/env python3
"""Who reads and copies by himself?  Part of `make lint`: usage: reads.py FILE...

Files are read through core/base (cursor.h, infile.h): there reading has a limit and can be cancelled.  Elsewhere a call of
fread, getline, read and the like is a fault, and so is fwrite, the other half of a copy, but for the functions named here.
One that is named and has no such call any more is a fault, too, and so is a call that this does not find in a sample.
"""
import re
import sys

CALL = re.compile(r"(?<![\w.>])(fread|fwrite|getline|getdelim|f?gets|f?getc|getchar|f?scanf|p?readv?|recv|mmap|copy_file_range|sendfile)"
                  r"(?:_unlocked)?\(")
FREE = "core/base/"
ALLOWED = {
    "core/source/simulation.c": {"listen_to_keeper": "a pipe, once a wait", "last_lines": "the last bytes of a log",
                                 "tail_read": "a growing log, from where it ended last", "simulation_used": "a line of /proc"},
    "core/source/simulation_child.c": {"simulation_child_serve": "lines of its parent, of bounded length",
                                       "library_loaded": "lines of /proc/self/maps",
                                       "simulation_child_ask_all": "the pairs that its parent wrote"},
    "core/source/live.c": {"read_streams": "pipes of the child, once a wait"},
    "core/source/live_child.c": {"watch_parent": "one byte", "start_janitor": "one byte", "live_child_put": "records that it made"},
    "core/source/gate.c": {"receive_whole": "a message"},
    "core/formats/folder.c": {"run_of": "the first bytes of a file"},
    "core/formats/subnet_lst.c": {"write_lfts": "text that it made", "write_sources": "text that it made"},
    "core/analysis/compare/verify.c": {"put_file": "what read_file() took", "engine_of_log": "the log of an opensm that has ended",
                                       "verify_compare_sls": "answers in a file of its own, a look each"},
    "tui/ui.c": {"ui_wait": "a pipe of its own that does not wait"},
}
SAMPLE = "static int f(void)\n{\n\twhile (fread(b, 1, 9, f) > 0)\n\t\tfwrite(b, 1, 9, g);\n\tn = x.read(1) + y->read(2) + pread(3);\n}\n"


def calls(text):
    """(function, number of line, call) of each."""
    found, function = [], "?"
    for number, line in enumerate(text.splitlines(), 1):
        begins = re.match(r"\w[^;={]*?(\w+)\(", line)
        function = begins[1] if begins else function
        found += [(function, number, m[1]) for m in CALL.finditer(re.sub(r'"(\\.|[^"\\])*"|/\*.*?\*/|^ \*.*', "", line))]
    return found


def faults(paths):
    for path in paths:
        if path.startswith(FREE):
            continue
        allowed, used = ALLOWED.get(path, {}), set()
        with open(path, encoding="utf-8") as f:
            for function, number, call in calls(f.read()):
                used.add(function)
                if function not in allowed:
                    yield "%s:%d: %s() calls %s(), expected read_file(), read_text_line() or others of core/base" % (
                        path, number, function, call)
        for function in set(allowed) - used:
            yield "%s: %s() reads nothing by itself: take it out of tests/reads.py" % (path, function)


def main():
    told = list(faults(sys.argv[1:]))
    if [call for _, _, call in calls(SAMPLE)] != ["fread", "fwrite", "pread"]:
        told.append("tests/reads.py: does not find the calls of its sample: %s" % calls(SAMPLE))
    print("".join(line + "\n" for line in told), end="")
    return 1 if told else 0


if __name__ == "__main__":
    sys.exit(main())
