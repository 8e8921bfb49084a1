#!/usr/bin/env python3
"""call_depth.py - how many calls lie between cn_world_step and the work of each stage.

    cmake --preset debug && cmake --build --preset debug --target cairn
    tools/call_depth.py [PROGRAM [ARGUMENT...]]

Runs a program under gdb, by default the first steps of a stack of boxes in the debug build (no
function is inlined there, but for those marked always_inline, which do not count). A breakpoint on the
kernel of each stage counts the frames below cn_world_step, the kernel included; those of the task
dispatch (src/base/tasks.c, task_pool.c) do not count. A kernel that several stages use has a line for each
of them. What lies within a kernel is counted from there, in lines of its own. Prints the shallowest and
the deepest, and the deepest path.
Status 1 when a kernel of the list is not in the program: then the list is out of date.
"""
import os
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
ROOTS = ["cn_world_step", "cn_grade_blocks", "cn_solve_on", "cn_broad_phase_update", "cn_collide_boxes"]
TARGET = 5      # frames below the first root, at most
LARGEST = 3000  # stops at one kernel: then it is left alone
STEPS = ["run", os.path.join(ROOT, "scenes", "supports", "stack-of-three.json"), "--duration", "0.02"]

# What is done, and the functions that do it: every one of them that is called is measured.
KERNELS = [
    ("pairs", ["cn_broad_phase_update"]),
    ("walk of the tree", ["cn_tree_query"]),
    ("two boxes", ["cn_collide_boxes"]),
    ("boxes side by side", ["cn_box_block_128", "cn_box_block_256"]),
    ("rows of contacts", ["cn_tile_prepare"]),
    ("islands", ["cn_islands_update"]),
    ("certificate", ["cn_tiles_grade", "cn_grade_blocks"]),
    ("solve an island", ["cn_solve_on"]),
    ("residual of a block", ["cn_block_residual"]),
    ("move bodies", ["cn_motion_finish"]),
    ("ledgers", ["cn_tiles_book"]),
    ("keep impulses", ["cn_warm_start_keep_contacts", "cn_warm_start_keep_rows"]),
    ("events", ["cn_events_add"]),
]


def by_stage(paths, root):
    """The paths of each stage, which follows cn_step_run, shallowest first; below other roots all together."""
    groups = {}
    for path in sorted(paths, key=len):
        groups.setdefault(path[1] if root == ROOTS[0] and len(path) > 1 else "", []).append(path)
    return list(groups.values())


def inside_gdb(gdb):
    found = {}  # (function, root) -> {path: count}; paths begin below the root
    stops = {}  # function -> how often it was called

    class Kernel(gdb.Breakpoint):
        def stop(self):
            path = []
            frame = gdb.newest_frame()
            while frame is not None and (not path or frame.name() not in ROOTS):
                symtab = frame.find_sal().symtab
                file = os.path.basename(symtab.filename) if symtab else ""
                if frame.type() != gdb.INLINE_FRAME and file not in ("tasks.c", "task_pool.c"):
                    path.append(frame.name())
                frame = frame.older()
            if frame is not None:
                paths = found.setdefault((self.location, frame.name()), {})
                key = tuple(reversed(path))
                paths[key] = paths.get(key, 0) + 1
            stops[self.location] = stops.get(self.location, 0) + 1
            self.enabled = stops[self.location] < LARGEST
            return False

    for command in ("set pagination off", "set confirm off", "set print thread-events off"):
        gdb.execute(command)
    missing = []
    for stage, names in KERNELS:
        known = [name for name in names if gdb.lookup_global_symbol(name) is not None]
        for name in known:
            Kernel(name)
        if not known:
            missing.append((stage, names))
    gdb.execute("run", to_string=True)
    form = "%-20s %-23s %-14s %10s %7s   %s"
    print(form % ("work", "kernel", "from", "shallowest", "deepest", "deepest path"))
    lines = met = 0
    for root in ROOTS:
        for stage, names in KERNELS:
            for name in names:
                for paths in by_stage(found.get((name, root), {}), root):
                    print(form % (stage, name, root, len(paths[0]), len(paths[-1]),
                                  " > ".join(paths[-1])))
                    if root == ROOTS[0]:
                        lines += 1
                        met += len(paths[-1]) <= TARGET
    print("%d of %d kernels at most %d frames below %s" % (met, lines, TARGET, ROOTS[0]))
    for stage, names in missing:
        print("call_depth.py: no kernel of \"%s\" in the program: %s" % (stage, ", ".join(names)))
    gdb.execute("quit %d" % (1 if missing else 0))


def main():
    command = sys.argv[1:] or [os.path.join(ROOT, "build", "debug", "cairn")] + STEPS
    if not os.path.exists(command[0]):
        sys.exit("call_depth.py: no program %s; build it: cmake --preset debug && "
                 "cmake --build --preset debug --target cairn" % command[0])
    done = subprocess.run(["gdb", "-q", "-nx", "-batch", "-x", os.path.abspath(__file__), "--args"]
                          + command, stdout=subprocess.PIPE, text=True)
    print("\n".join(line for line in done.stdout.splitlines() if not line.startswith("Breakpoint ")))
    sys.exit(done.returncode)


try:
    import gdb
except ImportError:
    main()
else:
    inside_gdb(gdb)
