"""How ibsim is started on a fabric of tests."""
import re


def ibsim_command(path):
    """
    The command line for a file of nodes as ibsim reads it.  ibsim clears all the room it is given for nodes, switches
    and ports, so it is given what the file needs; -L: every unicast LID.
    """
    with open(path, errors="replace") as f:
        ports = [(kind, int(n)) for kind, n in re.findall(r'^\s*(Switch|Hca|Ca|Rt|Router)\s+(\d+)', f.read(), re.M)]
    switches = sum(kind == "Switch" for kind, _ in ports)
    return ["ibsim", "-s", "-N", str(len(ports) + 8), "-S", str(switches + 8),
            "-P", str(sum(n + 2 for _, n in ports) + 64), "-L", "49152", path]
