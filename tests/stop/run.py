#!/usr/bin/env python3
"""Everything can be stopped: by Esc, by a signal, at any moment; and nothing stays behind.

usage: run.py [TEST]...
Environment: IBSCOPE=build/ibscope; LOOKS=build/stop/looks; SEED and MOMENTS of the random test.
The last line is "N passed, N failed".
"""
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.path.insert(0, os.path.join(ROOT, "tests", "tui"))
import run as tui  # noqa: E402

PROGRAM = tui.PROGRAM
LOOKS = os.path.abspath(os.environ.get("LOOKS", os.path.join(ROOT, "build", "stop", "looks")))
BOUND = 60  # seconds for what should take a tenth of one: the machine may be busy
CPU_BOUND = 3  # seconds of its own processor time that a program may take to end
GAP = 150  # milliseconds of processor time between two looks; what is idle needs 30, what does not look 600
AFTER = 200  # looks behind the cancelling: each loop that is left looks once or twice

Failed = tui.Failed

# What cannot work for long: it does what the person sees, once.
SHORT = {"echo", "help", "quit", "undo", "redo", "journal", "snapshot", "set", "unset", "show", "live", "trace", "ranks",
         "roots", "config", "source", "why", "lft", "hops", "step", "elements", "schema"}
# Commands of the interface: they are done in the thread that draws.
SCREEN = {"screen", "pane", "focus", "back", "maximise", "sort", "filter", "search", "keymap", "colours", "select",
          "follow", "fold", "action", "clear", "copy", "mouse"}

# One list a fabric, all that works on much of it; FILE is a file that is there, OUT one that is written.
TREE = ["synth xgft:14,14,14:1,14,14", "route updn", "save OUT", "load OUT", "names FILE", "export lfts OUT", "tables OUT", "route updn",
        "export fdbs OUT", "export subnet OUT", "export json OUT", "export sl2vl OUT", "export paths OUT",
        "export dot OUT", "export dot OUT cdg", "show links", "show hosts", "show switches", "snapshot a",
        "fail random 3 seed=1", "scope -node0001", "diff a", "diff a all", "drift", "drift minhop all", "doctor", "undo", "redo", "!restore all", "flap leaf-001[1]", "sweep",
        "reroute", "reset", "check", "load-map", "load-map all", "load-map shift 3", "load-map bisection seed=1",
        "shifts 20", "layers", "cdg", "cycles all", "equal-paths", "elements", "ranks", "hops leaf-001",
        "lft leaf-001", "trace node0001 node2000", "why leaf-001 node2000", "step start leaf-001", "list ports",
        "list hosts sort name", "list usage", "list tree", "list cdg", "list compare updn minhop", "set lmc 1"]
LOOPS = ["synth random:200,16,seed=7", "route minhop", "check", "cycles all", "export dot OUT cdg", "list cycle",
         "route dfsssp", "route lash", "list layer-pairs 0", "step start", "route nue", "layers", "list cdg"]
TORUS = ["synth torus:8x8x8,hosts=4", "torus-conf OUT", "set torus_config OUT", "set qos TRUE", "route torus-2QoS", "export torus EXTRA",
         "layers", "step start", "set do_mesh_analysis TRUE", "route lash"]
SMALL = ["synth xgft:6,6,6:1,6,6", "route updn", "drift", "doctor", "survey links", "survey switches", "survey pairs 20 switches threads=2",
         "survey links shard 1/3",
