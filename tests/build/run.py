#!/usr/bin/env python3
"""What `make` builds, installs and packs, and that it builds anew what has to be, and no more.

All in a copy of the tree.  Arguments: names of tests; without any those that every run does, and DRAWN of the others by
SEED (LONG=1: all).
"""
import json
import os
import random
import re
import shutil
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.dirname(HERE), os.path.join(os.path.dirname(HERE), "tui")]

import run as tui  # noqa: E402
import scratch  # noqa: E402
from scratch import Failed  # noqa: E402
from trial import chosen_seed  # noqa: E402

TREE = scratch.Scratch()
LONG = os.environ.get("LONG") == "1"
SEED = chosen_seed()
INSTALLED = {"bin/ibscope", "share/ibscope/keymaps/default.keys", "share/ibscope/keymaps/emacs.keys",
             "share/ibscope/keymaps/vi.keys", "share/ibscope/ibscope-survey.slurm", "share/ibscope/ibscope-watch.service", "share/ibscope/examples/updown.py", "share/ibscope/fabrics/demo-3level.ibnet", "lib/debug/.build-id/ID.debug",
             "share/man/man1/ibscope.1", "share/man/man5/ibscope-json.5", "share/bash-completion/completions/ibscope",
             "share/zsh/site-functions/_ibscope", "share/fish/vendor_completions.d/ibscope.fish"}
INSTALLED |= {"share/doc/ibscope/%s/%s" % (d, name) for d in ("engines/doc", "core/formats/doc")
              for name in os.listdir(os.path.join(HERE, "../..", d))}
INSTALLED |= {"share/ibscope/lessons/" + name for name in os.listdir(os.path.join(HERE, "../../views/lessons"))}
PACKED = {f.replace("site-functions", "vendor-completions") for f in INSTALLED}   # below /usr, where Debian's zsh looks for a package's


def expect(what, found, expected):
    if found != expected:
        if isinstance(found, set) and len(found) > 9:
            found = "%d, such as %s" % (len(found), sorted(found)[:5])
        raise Failed("%s: found %s, expected %s" % (what, found, expected))


def version():
    """The first line of --version; the second tells the terms."""
    first, second = TREE.ibscope("--version").splitlines()
    expect("terms", "MIT" in second and "GPL" in second and "--licences" in second, True)
    return first + "\n"


def files_below(folder):
    found = {os.path.relpath(os.path.join(d, n), folder) for d, _, names in os.walk(folder) for n in names}
    return {re.sub(r"\.build-id/\w\w/\w+\.", ".build-id/ID.", name) for name in found}


# --- what is built anew --------------------------------------------------------------------

def built_once():
    """A second make has nothing to do, whatever the number of jobs and however make reads what it noted."""
    for jobs in ("-j1", "-j4", "-j4"):
        made = TREE.make(jobs, "V=1")
    expect("built again", re.findall(r"^.* -o .*$", made, re.M), [])
    expect("compiled again", TREE.would_compile(), set())
    TREE.make("-q")
    for name in os.listdir(TREE.path("build/stamp")):  # GNU Make 4.3 reads a file with its newline now and then
        path = TREE.path("build/stamp", name)
        before = os.stat(path)
        TREE.write(path, TREE.read(path) + "\n")
        os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    expect("compiled for a newline", TREE.would_compile(), set())
    TREE.make("-q")


def compiler_through_ccache():
    """ccache is used where it is found, once and in front of the compiler; whether it is makes no difference."""
    TREE.make()
    folder = TREE.path("cache-bin")
    TREE.write("cache-bin/ccache", "#!/bin/sh\nexec \"$@\"\n")
    os.chmod(folder + "/ccache", 0o755)
    env = {"PATH": folder + ":" + os.environ["PATH"]}
    expect("compiled where a ccache is found", TREE.would_compile(**env), set())
    expect("compiled without one", TREE.would_compile("CCACHE=", **env), set())
    os.utime(TREE.path("tui/main.c"))
    for words, start in (((), folder + "/ccache cc "), (("CC=gcc",), folder + "/ccache gcc "), (("CCACHE=",), "cc "),
                         (("CC=ccache cc",), "ccache cc ")):
        said = TREE.run("make", "-n", *words, **env)
        line = re.search(r"^ *(.*) -c -o build/obj/tui/main\.o", said, re.M)
        if not line or not line[1].startswith(start):
            raise Failed("%s: found %s, expected %s" % (words, line and line[1], start))
    TREE.make()


def version_is_one_file():
    expect("compiled for another version", TREE.would_compile("VERSION=9.8"), {"tui/about.c"})
    TREE.make("VERSION=9.8")
    expect("--version", version(), "ibscope 9.8\n")
    TREE.make()
    number = re.search(r"^VERSION *:= *(\S+)$", TREE.read("Makefile"), re.M)[1]
    expect("--version", version(), "ibscope %s\n" % number)


def flags_are_all_files():
    TREE.make()
    expect("compiled for other flags", TREE.would_compile("CFLAGS=-O0 -DOTHER"), TREE.sources())
    expect("compiled by another compiler", TREE.would_compile("CC=other-cc"), TREE.sources())
    expect("compiled for the flags as they were", TREE.would_compile(), set())


def header_is_its_users():
    """Touching a header compiles what includes it and no more."""
    TREE.make()
    headers = sorted(TREE.sources((".h",)))
    for header in headers[::12] if LONG else random.Random(SEED).sample(headers, 2):
        path = TREE.path(header)
        before = os.stat(path)
        os.utime(path)
        found, expected = TREE.would_compile(), TREE.including(header)
        os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
        expect("compiled for " + header, sorted(found), sorted(expected))


def compile_commands():
    """Every source once, with a command that compiles it."""
    TREE.run("make", "-s", *TREE.settings(), "compile_commands.json")
    rows = {row["file"]: row for row in json.loads(TREE.read("compile_commands.json"))}
    expect("files", set(rows), TREE.sources())
    for name in ("tui/about.c", "core/base/text.c"):
        TREE.run("sh", "-c", 'cd "$0" && eval "$1 -o /dev/null"', rows[name]["directory"], rows[name]["command"])
    os.unlink(TREE.path("compile_commands.json"))


def files_come_and_go():
    """A new source goes into the program's library, and leaves it when it is removed."""
    TREE.make()
    TREE.write("engines/extra.c", "int extra(void);\nint extra(void)\n{\n\treturn 1;\n}\n")
    expect("compiled for a new file", TREE.would_compile(), {"engines/extra.c"})
    TREE.make()
    if "extra.o" not in TREE.run("ar", "t", "build/obj/core.a").split():
        raise Failed("extra.o is not in core.a")
    os.unlink(TREE.path("engines/extra.c"))
    TREE.make()
    if "extra.o" in TREE.run("ar", "t", "build/obj/core.a").split():
        raise Failed("extra.o is still in core.a")


def revision_of_git():
    """--version tells the revision, and that files differ from it; archives tell it without git."""
    git = ["git", "-c", "user.name=test", "-c", "user.email=test@example.org"]
    TREE.write(".gitignore", "build/\n")
    TREE.run(*git, "init", "-q")
    try:
        TREE.run(*git, "add", "-A")
        TREE.run(*git, "commit", "-qm", "all")
        revision = TREE.run("git", "rev-parse", "--short", "HEAD").strip()
        expect("compiled for a revision", TREE.would_compile(), {"tui/about.c"})
        TREE.make()
        number = version().split()[1]
        expect("--version", version(), "ibscope %s (git %s)\n" % (number, revision))
        TREE.write("README.md", TREE.read("README.md") + "\n")
        TREE.make()
        expect("--version", version(), "ibscope %s (git %s-dirty)\n" % (number, revision))
        TREE.run("sh", "-c", "mkdir archive && git archive HEAD | tar x -C archive")
        if '"%s"' % revision not in TREE.read("archive/tui/about.c"):
            raise Failed("an archive's tui/about.c does not hold the revision")
    finally:
        shutil.rmtree(TREE.path(".git"))
        shutil.rmtree(TREE.path("archive"), ignore_errors=True)
    TREE.make()
    expect("--version", version(), "ibscope %s\n" % number)


# --- hardening ------------------------------------------------------------------------------

def softness(program):
    """What is missing of the protections that a program's file shows."""
    shown = {flag: TREE.run("readelf", "-W", flag, program) for flag in ("-h", "-l", "-d", "--dyn-syms")}
    protections = {
        "position independent": re.search(r"Type:\s+DYN", shown["-h"]) and re.search(r"FLAGS_1\).*\bPIE\b", shown["-d"]),
        "read-only relocations": "GNU_RELRO" in shown["-l"],
        "bound at start": re.search(r"FLAGS_1\).*\bNOW\b", shown["-d"]),
        "stack not executable": re.search(r"GNU_STACK.* RW +0x", shown["-l"]),
        "no library folder of its own": not re.search(r"\(R(UN)?PATH\)", shown["-d"]),
        "stack protector": "__stack_chk_fail" in shown["--dyn-syms"],
        "no shell": not re.search(r" (popen|system)@", shown["--dyn-syms"]),
        "fortified": re.search(r" __(f|v?s)n?printf_chk\b", shown["--dyn-syms"]),
    }
    return sorted(name for name, there in protections.items() if not there)


def hardened():
    """The program has what compiler and linker offer; one without it is told from it."""
    TREE.make()
    expect("missing in the program", softness(TREE.path("build/ibscope")), [])
    expect("rights of the program", oct(os.stat(TREE.path("build/ibscope")).st_mode & 0o7000), oct(0))
    TREE.write("soft.c", "#include <stdio.h>\n#include <stdlib.h>\nint main(int c, char **v)\n{\n\tchar b[99];\n\treturn sprintf(b, \"%s\", v[c - 1]) + system(b);\n}\n")
    TREE.run("cc", "-O0", "-fno-stack-protector", "-U_FORTIFY_SOURCE", "-no-pie", "-fno-pie", "-Wl,-z,norelro,-z,lazy,-z,execstack",
             "-Wl,--enable-new-dtags,-rpath,/tmp", "-o", "soft", "soft.c")
    expect("missing in a soft program", len(softness(TREE.path("soft"))), 8)


# --- installing ---------------------------------------------------------------------------

def installed_below_prefix():
    """make && make install PREFIX=...: a program that looks there; uninstall leaves nothing."""
    TREE.make("PREFIX=/usr/local")
    for prefix in ("/opt/some", "/usr"):
        root = TREE.path("root" + prefix.replace("/", "-"))
        TREE.make("install", "PREFIX=" + prefix, "DESTDIR=" + root)
        expect("installed", files_below(root + prefix), PACKED if prefix == "/usr" else INSTALLED)
        with open(root + prefix + "/bin/ibscope", "rb") as f:
            folders = set(re.findall(rb"(/[\w/]*)/share/ibscope/keymaps\0", f.read()))
        expect("prefix in the program", folders - {b"/.."}, {prefix.encode()})
        TREE.make("uninstall", "PREFIX=" + prefix, "DESTDIR=" + root)
        expect("left by uninstall", files_below(root), set())


def starts_with_keymap(program, name):
    """The explorer's first screen comes up, or it refuses the keymap: true, false."""
    t = tui.Terminal()
    try:
        t.type("%s -k %s -R minhop ring:6" % (program, name))
        t.keys("Enter")
        return "minhop routed" in t.wait(r"minhop routed|keymap \"%s\" is neither" % name)
    except tui.Failed as e:
        raise Failed(e) from e
    finally:
        t.close()


def keymaps_near_the_program():
    """Beside a copied program, in ../keymaps, in ../share/ibscope/keymaps of an installed tree that was moved; else its own."""
    TREE.make("PREFIX=/nonexistent")
    expect("keymap in the tree", starts_with_keymap(TREE.path("build", "ibscope"), "vi"), True)
    TREE.make("install", "PREFIX=/nonexistent", "DESTDIR=" + TREE.path("moved"))
    expect("keymap of a moved tree", starts_with_keymap(TREE.path("moved/nonexistent/bin/ibscope"), "vi"), True)
    os.makedirs(TREE.path("usb/stick"))
    program = shutil.copy(TREE.path("build", "ibscope"), TREE.path("usb/stick"))
    expect("keymap in the program", starts_with_keymap(program, "vi"), True)
    expect("keymap that is nowhere", starts_with_keymap(program, "other"), False)
    TREE.write("usb/stick/keymaps/other.keys", "include vi.keys\n")
    expect("keymap beside, which includes one in the program", starts_with_keymap(program, "other"), True)
    TREE.make()


def program_alone():
    """Lessons are those of the tree, or of an installed tree that was moved; a program that stands alone has all in itself."""
    TREE.make("PREFIX=/nonexistent")
    TREE.run(TREE.path("build", "ibscope"), "-e", "lesson ring check")
    TREE.make("install", "PREFIX=/nonexistent", "DESTDIR=" + TREE.path("taught"))
    program = TREE.path("taught/nonexistent/bin/ibscope")
    TREE.run(program, "-e", "lesson updn check; synth lesson:io")
    listed = TREE.run(program, "-e", "lesson")
    shutil.copy(TREE.path("views/lessons/ring.lesson"), TREE.path("taught/nonexistent/share/ibscope/lessons/more.lesson"))
    expect("a lesson beside", " more " in TREE.run(program, "-e", "lesson"), True)
    os.makedirs(TREE.path("alone/some/bin"))
    program = shutil.copy(TREE.path("build", "ibscope"), TREE.path("alone/some/bin"))
    expect("lessons of a program alone", TREE.run(program, "-e", "lesson"), listed)
    TREE.run(program, "-e", "lesson check")
    expect("demo", TREE.run(program, "-e", "show", "demo").replace("builtin:fabrics/", ""),
           TREE.run(program, "-e", "show", TREE.path("tests/fabrics/demo-3level.ibnet")).replace(TREE.path("tests/fabrics/"), ""))
    expect("--man", TREE.run(program, "--man"), TREE.run(program, "--manual", TREE.path("tui/ibscope.1.in")))
    expect("--man json", TREE.run(program, "--man", "json"), TREE.run(program, "--manual", TREE.path("tui/ibscope-json.5.in")))
    TREE.make()


# --- the package --------------------------------------------------------------------------

def debian_package():
    """make deb: files, section, dependencies; it installs into an empty root; lintian finds no error where it is."""
    package = TREE.path(TREE.run("sh", "-c", 'MAKEFLAGS="$0" .ci/package build 1.2.3', make_flags()).strip().split("\n")[-1])
    field = dict(re.findall(r"^(\S+): (.*)$", TREE.run("dpkg-deb", "-f", package), re.M))
    expect("fields", [field[k] for k in ("Package", "Version", "Section", "Priority")],
           ["ibscope", "1.2.3", "net", "optional"])
    depends = set(re.findall(r"(?:^|, )([^ ,]+)", field["Depends"]))
    for library in ("libc6", "libibnetdisc5", "libncursesw6", "libreadline8", "libjansson4", "libexpat1"):
        if not any(d.startswith(library.rstrip("0123456789")) for d in depends):
            raise Failed("%s is not among the dependencies %s" % (library, depends))
    symbols = re.sub(r"/ibscope_", "/ibscope-dbgsym_", package)
    expect("symbols", re.findall(r"usr/lib/debug/\.build-id/\w+/\w+\.debug$", TREE.run("dpkg-deb", "-c", symbols), re.M) != [], True)
    root = TREE.path("target")
    for folder in ("info", "updates"):
        os.makedirs(root + "/var/lib/dpkg/" + folder)
    for name in ("status", "available"):
        TREE.write("target/var/lib/dpkg/" + name, "")
    TREE.run("dpkg", "--root=" + root, "--force-not-root", "--force-depends", "--log=/dev/null", "--install", package,
             PATH=os.environ["PATH"] + ":/usr/sbin:/sbin")
    expect("files", {f for f in files_below(root) if f.startswith("usr/")},
           {"usr/" + re.sub(r"(man[15]/.*)", r"\1.gz", f) for f in PACKED if not f.startswith("lib/debug/")}
           | {"usr/share/doc/ibscope/copyright", "usr/share/doc/ibscope/changelog.gz"})
    if not TREE.run(root + "/usr/bin/ibscope", "--version").startswith("ibscope "):
        raise Failed("the packed program does not tell its version")
    expect("keymap of the package", starts_with_keymap(root + "/usr/bin/ibscope", "emacs"), True)
    TREE.make()


def make_flags():
    """CC and CFLAGS as MAKEFLAGS hands them to the make of the script."""
    return " -- " + " ".join(s.replace(" ", "\\ ") for s in TREE.settings())


ALWAYS = [built_once, header_is_its_users, hardened, installed_below_prefix]
OTHERS = [compiler_through_ccache, compile_commands, version_is_one_file, flags_are_all_files, files_come_and_go, revision_of_git,
          keymaps_near_the_program, program_alone, debian_package]
DRAWN = 2


if __name__ == "__main__":
    others = OTHERS
    if not LONG and not sys.argv[1:]:
        others = [test for test in OTHERS if test in random.Random(SEED).sample(OTHERS, DRAWN)]
        print("build: SEED=%s draws %s" % (SEED, " ".join(test.__name__ for test in others)))
    with TREE:
        sys.exit(scratch.run_tests("build", ALWAYS + others, sys.argv[1:]))
