"""Completion in shells: real ones are asked what they offer, and all offer the same words.

bash and zsh have a terminal and Tab is pressed; fish tells what it would offer (`complete -C`).  zsh and fish find
the files as they would where they are installed.
"""
import os
import pty
import re
import select
import shlex
import shutil
import signal
import subprocess

from trial import BOUND

SETUP = {
    # what readline would replace, and what is offered instead; C-t shows the line
    "bash": r"""
source <(ibscope --completion bash)
probe() { _ibscope "$@"; printf '<%s|%s>' "$2" "$(printf '%s\n' "${COMPREPLY[@]}")"; }
complete -F probe ibscope
bind -x '"\C-t": printf "<%s>" "$READLINE_LINE"'
bind 'set bell-style none'
bind 'set completion-query-items 0'
bind 'set page-completions off'
""",
    "zsh": r"""
fpath=($HOME/functions $fpath)
autoload -U compinit && compinit -u -D
compadd() { local -a found; builtin compadd -O found "$@"; told+=("${found[@]}"); builtin compadd "$@" }
probe() { local -a told; _ibscope "$@"; printf '<%s|%s>' "$PREFIX" "$(printf '%s\n' "${told[@]}")" }
compdef probe ibscope
line() { printf '<%s>' "$BUFFER" }
zle -N line
bindkey -e
bindkey '^T' line
unsetopt beep
LISTMAX=1000000
""",
}
COMMAND = {"bash": ["bash", "--norc", "--noprofile", "-i"], "zsh": ["zsh", "-f", "-i"]}


class Shell:
    """A shell on a terminal of its own."""
    def __init__(self, name, folder, path):
        self.name, self.said = name, b""
        setup = os.path.join(folder, "bin", "setup." + name)
        with open(setup, "w") as f:
            f.write(SETUP[name])
        env = {"PATH": path, "HOME": folder, "TERM": "dumb", "PS1": "", "PROMPT": "", "LC_ALL": "C.UTF-8", "LINES": "2000", "COLUMNS": "200"}
        self.pid, self.fd = pty.fork()
        if not self.pid:
            os.chdir(folder)
            os.execvpe(COMMAND[name][0], COMMAND[name], env)
        self.type(" stty -echo; source %s; printf '%%s%%s' rea dy\n" % shlex.quote(setup))
        self.wait("ready")

    def type(self, text):
        os.write(self.fd, text.encode())

    def wait(self, pattern):
        """The match in what is said next."""
        while True:
            found = re.search(pattern.encode(), self.said, re.S)
            if found:
                self.said = self.said[found.end():]
                return [part.decode().replace("\r\n", "\n") for part in found.groups()]
            if not select.select([self.fd], [], [], BOUND)[0]:
                raise AssertionError("%s: %r is missing in %r" % (self.name, pattern, self.said[-2000:]))
            try:
                more = os.read(self.fd, 65536)
            except OSError:
                more = b""
            if not more:
                raise AssertionError("%s ended: %r" % (self.name, self.said[-2000:]))
            self.said += more

    def complete(self, line):
        """(words that are offered for the last one of the line, the line behind Tab)"""
        self.type(line + "\t")
        text, offered = self.wait(r"<([^<>]*)\|([^>]*)>")
        self.type("\x14")
        behind, = self.wait(r"<([^<>|]*)>")
        self.type("\x05\x15")
        head = line[:len(line) - len(text)] if line.endswith(text) else ""   # zsh spells a quote within a word by backslashes
        return [last_word(head + reply) for reply in offered.splitlines()], behind

    def close(self):
        os.kill(self.pid, signal.SIGKILL)
        os.close(self.fd)
        os.waitpid(self.pid, 0)


def last_word(line):
    """Of a line of a shell, whose last quote may be open."""
    for end in ("", "'", '"'):
        try:
            return (shlex.split(line + end) or [""])[-1]
        except ValueError:
            continue
    raise AssertionError("quotes of %r" % line)


def fish(lines, folder, path):
    """The words that it offers for each line."""
    done = subprocess.run(["fish", "-c", "for line in $argv; complete -C $line; echo done; end", *lines], cwd=folder, stdin=subprocess.DEVNULL, text=True,
                          env={"PATH": path, "HOME": folder, "TERM": "dumb", "LC_ALL": "C.UTF-8"}, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=BOUND)
    return [[word.split("\t")[0] for word in answer.split("\n") if word] for answer in re.split(r"^done\n", done.stdout, flags=re.M)[:-1]]


# a line, words that are offered for it (of some: all), what Tab adds to the line in bash and zsh (None: they differ)
LINES = (
    ("ibscope -R ", {"minhop", "updn", "ftree", "no_fallback"}, False, ""),
    ("ibscope --routing-engine=updn,m", {"--routing-engine=updn,minhop", "--routing-engine=updn,mincontention"}, True, "in"),
    ("ibscope --no-t", {"--no-text", "--no-timing"}, True, ""),
    ("ibscope --liv", {"--live", "--live="}, True, "e"),
    ("ibscope -V --completion ", {"bash", "zsh", "fish"}, True, ""),
    ("ibscope -k ", {"default", "vi", "emacs", "my fabrics/"}, False, ""),
    ("ibscope tor", {"torus:"}, True, "us:"),
    ("ibscope published:su", {"published:summit", "published:superpod"}, True, ""),
    ("ibscope my", {"my fabrics/"}, True, "\\ fabrics/"),
    ("ibscope my\\ fabrics/", {"my fabrics/a \"b\" it's $1.net"}, True, "a\\ \\\"b\\\"\\ it\\'s\\ \\$1.net "),
    ("ibscope -F ~/my", {"~/my fabrics/"}, True, "\\ fabrics/"),
    ("ibscope 'my fab", {"my fabrics/"}, True, "rics/"),
    ("ibscope -- -", set(), True, ""),
    ("ibscope demo -", {"-e", "--json", "--execute", "-R"}, False, ""),
    ("ibscope demo ", set(), True, ""),
    ("ibscope -e 'tra", {"trace", "transition"}, True, ""),
    ("ibscope -e 'trac", {"trace"}, True, "e "),
    ("ibscope -e fail\\ li", {"fail link"}, True, "nk "),
    ("ibscope -R updn demo -e 'fail link le", {"fail link leaf-%02d[" % i for i in range(1, 17)}, True, "af-"),
    ("ibscope demo -x - -e \"show; fail switch spine-1", {"show; fail switch spine-%d" % i for i in range(10, 17)}, True, ""),
    ("ibscope \"my fabrics/a \\\"b\\\" it's \\$1.net\" --exec='fail host ", {'--exec=fail host "a host"'}, True, None),
    ("ibscope -e 'fail switch sp", set(), True, ""),
)


def ask(folder, program):
    """What differs, and the shells that are not here."""
    path = os.path.join(folder, "bin") + ":" + os.environ["PATH"]
    for name in ("bin", "my fabrics", "functions", ".config/fish/completions"):
        os.makedirs(os.path.join(folder, name))
    os.symlink(program, os.path.join(folder, "bin", "ibscope"))
    with open(os.path.join(folder, "my fabrics", "a \"b\" it's $1.net"), "w") as f:
        f.write('Switch 6 "S"\n[1] "a host"[1]\n\nHca 1 "a host"\n[1] "S"[1]\n')
    with open(os.path.join(folder, "my \x1b[31m.net"), "w"):   # what steers a terminal is not offered
        pass
    for shell, name in (("zsh", "functions/_ibscope"), ("fish", ".config/fish/completions/ibscope.fish")):
        with open(os.path.join(folder, name), "w") as f:
            subprocess.run([program, "--completion", shell], stdout=f, check=True)
    wrong, missing = [], [name for name in ("bash", "zsh", "fish") if not shutil.which(name)]
    for name in ("bash", "zsh"):
        if name in missing:
            continue
        shell = Shell(name, folder, path)
        try:
            for line, words, whole, more in LINES:
                offered, behind = shell.complete(line)
                wrong += differs(name, line, words, whole, offered)
                if more is not None and behind != line + more:
                    wrong.append("%s: Tab behind %r makes %r, expected %r" % (name, line, behind, line + more))
        finally:
            shell.close()
    if "fish" not in missing:
        for (line, words, whole, _), offered in zip(LINES, fish([row[0] for row in LINES], folder, path), strict=True):
            wrong += differs("fish", line, words, whole, offered)
    return wrong, missing


FIRST = {}   # what the first shell offered


def differs(name, line, words, whole, offered):
    found = {word.rstrip(" ") for word in offered}
    if found != words if whole else not words <= found:
        return ["%s: %r offers %r, expected %r" % (name, line, sorted(found)[:20], sorted(words))]
    first = FIRST.setdefault(line, (name, found))
    return [] if first[1] == found else ["%r: %s and %s offer %r" % (line, first[0], name, sorted(first[1] ^ found))]
