"""What the tests of the explorer share: which program, how long to wait, how to fail."""
import os

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
PROGRAM = os.path.abspath(os.environ.get("IBSCOPE", os.path.join(ROOT, "build", "ibscope")))
BOUND = float(os.environ.get("TUI_BOUND", "180"))  # seconds to wait for anything
FABRIC = "-R minhop xgft:4,4:1,2"


class Failed(Exception):
    pass
