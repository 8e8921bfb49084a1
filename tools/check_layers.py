#!/usr/bin/env python3
# check_layers.py - holds the source tree to its layers and to the house rules that can be counted.
#
#     tools/check_layers.py [ROOT]
#
# Prints one line "file:line: sentence" for each broken rule and exits with 1 when there is one.
# The rules, and why they exist, are in ARCHITECTURE.md and STYLE.md.
import pathlib
import re
import sys

# A file includes its own layer and those to its left.
LAYERS = "base math linalg geometry collision constraints solvers world io fclib".split()

# Public headers belong to the layer of their noun: the same rule holds for them, so that a lower
# layer cannot reach a higher one through include/cairn. cairn.h is for users only.
PUBLIC_LAYER = {
    "base.h": "base",
    "math.h": "math",
    "random.h": "math",
    "series.h": "geometry",
    "material.h": "geometry",
    "shape.h": "geometry",
    "body.h": "geometry",
    "contact.h": "collision",
    "constraint.h": "constraints",
    "joint.h": "constraints",
    "problem.h": "constraints",
    "solver.h": "solvers",
    "diagnostics.h": "world",
    "attribution.h": "world",
    "world.h": "world",
    "event.h": "world",
    "loop.h": "world",
    "mechanism.h": "world",
    "query.h": "world",
    "warning.h": "world",
    "state.h": "world",
    "quantity.h": "world",
    "scene.h": "io",
    "recording.h": "io",
    "fclib.h": "fclib",
}
USERS_ONLY = "cairn.h"

# These rooms see the library as a user does.
OUTSIDE = ["scenes", "cli", "python", "viewer", "examples"]
# The scenes are visible to the program too, and their arithmetic is that of the library: they make
# the same bits everywhere.
SCENES = "scenes"
# These may look everywhere, but still keep the rules about files and functions.
WORKSHOP = ["tests", "bench"]

MAX_FILE_LINES = 800
MAX_FUNCTION_LINES = 120
MAX_FOLDER_FILES = 32  # of code; "about 30"
CODE = (".c", ".h", ".cpp", ".py", ".sh")

# Here a type name means one type in the whole tree. Tests are programs of their own.
ONE_NAME_ONE_TYPE = ["include", "src", "cli", "scenes"]

# What src/ does not call, by reason, with the only files that may.
MEMORY = (
    r"malloc|calloc|realloc|free|aligned_alloc|posix_memalign|strdup|strndup|asprintf|vasprintf",
    "memory comes from the allocator hook (base/memory.h)",
    {"base/memory.c"},
)
PRINTING = (
    r"printf|vprintf|puts|putchar|perror",
    "the library never prints",
    set(),
)
EXITING = (
    r"exit|_exit|_Exit|quick_exit|abort",
    "the library never ends the program",
    {"base/error.c"},
)
ARITHMETIC = (
    r"(?:sin|cos|tan|asin|acos|atan|atan2|sinh|cosh|tanh|exp|exp2|expm1|log|log2|log10|log1p|pow"
    r"|cbrt|hypot|fma|sincos)f?",
    "libm rounds differently from machine to machine (use cairn/math.h)",
    set(),
)
PROCESSOR = (
    r"__builtin_cpu_supports",
    "which registers there are is asked in one place (math/simd.h)",
    {"math/simd.h"},
)


def calls(*rules):
    return [
        (re.compile(r"(?<![\w.>])(" + names + r")\s*\("), reason, permitted)
        for names, reason, permitted in rules
    ]


FORBIDDEN_CALLS = calls(MEMORY, PRINTING, EXITING, ARITHMETIC, PROCESSOR)
FORBIDDEN_IN_SCENES = calls(ARITHMETIC)
STREAMS = re.compile(r"\b(stdout|stderr)\b")
STREAMS_PERMITTED = {"base/error.c"}

INCLUDE = re.compile(r'\s*#\s*include\s+"([^"]+)"')
COMMENT_OR_STRING = re.compile(
    r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'', re.DOTALL
)
# Variables that outlive a call: static ones, and in a .c file those in column 0 without the word.
STATIC_VARIABLE = re.compile(r"\s*(?:static|_Thread_local)\s[^(){}]*?(?:=|;|\[)")
GLOBAL_VARIABLE = re.compile(
    r"(?!typedef|struct\s+\w+;|union\s+\w+;|extern)\w+[\s*][^(){}]*?(?:=|;|\[)"
)


# A type with a body: `typedef struct {...} Name;` and `struct Name {...};`, in column 0.
TYPE_END = re.compile(r"^\} (\w+)(?:\[\w+\])?;")
TYPE_START = re.compile(r"^(?:struct|union|enum) (\w+) \{")


def code_of(text):
    """The text with comments and strings blanked, line by line; include lines keep theirs."""

    def blank(match):
        return re.sub(r"[^\n]", " ", match.group(0))

    return COMMENT_OR_STRING.sub(blank, text).split("\n")


def functions(code):
    """First and last line of each function: clang-format puts these two in column 0, and nothing
    in between."""
    first, header = None, ""
    for number, line in enumerate(code, 1):
        if first is None and re.match(r"[A-Za-z_]", line):
            first, header = number, ""
        if first is None:
            continue
        if line.startswith("}"):
            if "(" in header and "=" not in header:
                yield first, number
            first = None
        elif "{" not in header:
            header += line
            if ";" in header:
                first = None


def rank(include):
    """Position of an included file in LAYERS, or None when it belongs to no layer."""
    folder, _, name = include.partition("/")
    layer = PUBLIC_LAYER.get(name) if folder == "cairn" else folder
    return LAYERS.index(layer) if layer in LAYERS else None


class Checker:
    def __init__(self, root):
        self.root = root
        self.problems = []
        self.types = {}  # name: the file that defines it

    def complain(self, path, line, sentence):
        self.problems.append(f"{path.relative_to(self.root)}:{line}: {sentence}")

    def check_first_line(self, path, lines):
        pattern = rf"// {re.escape(path.name)} - \S.*\."
        if not re.fullmatch(pattern, lines[0]):
            self.complain(path, 1, f"the first line must read `// {path.name} - purpose.`")

    def check_lengths(self, path, code):
        count = len(code) - (code[-1] == "")
        if count > MAX_FILE_LINES:
            self.complain(path, count, f"{count} lines; cut the file at {MAX_FILE_LINES}")
        for first, last in functions(code):
            length = last - first + 1
            if length > MAX_FUNCTION_LINES:
                self.complain(
                    path, first, f"a function of {length} lines; cut it at {MAX_FUNCTION_LINES}"
                )

    def check_type_names(self, path, code):
        for number, line in enumerate(code, 1):
            match = TYPE_END.match(line) or TYPE_START.match(line)
            if match:
                other = self.types.setdefault(match.group(1), path)
                if other != path:
                    place = other.relative_to(self.root)
                    self.complain(
                        path, number, f"{match.group(1)} is another type in {place}; rename one"
                    )

    def check_folder(self, path):
        count = sum(file.suffix in CODE for file in path.iterdir())
        if count > MAX_FOLDER_FILES:
            self.complain(path, 1, f"{count} files; divide the folder at {MAX_FOLDER_FILES}")

    def check_calls(self, path, code, rules, name):
        for number, line in enumerate(code, 1):
            for pattern, reason, permitted in rules:
                match = pattern.search(line)
                if match and name not in permitted:
                    self.complain(path, number, f"calls {match.group(1)}: {reason}")

    def check_library_code(self, path, code):
        name = path.relative_to(self.root / "src").as_posix()
        self.check_calls(path, code, FORBIDDEN_CALLS, name)
        for number, line in enumerate(code, 1):
            match = STREAMS.search(line)
            if match and name not in STREAMS_PERMITTED:
                self.complain(path, number, f"uses {match.group(1)}: the library never prints")
            variable = STATIC_VARIABLE.match(line) or (
                path.suffix == ".c" and GLOBAL_VARIABLE.match(line)
            )
            if variable and not re.search(r"\bconst\b", line):
                self.complain(path, number, "outlives the call; the library has no state")

    def includes(self, lines):
        for number, line in enumerate(lines, 1):
            match = INCLUDE.match(line)
            if match:
                yield number, match.group(1)

    def check_layer(self, path, lines, own):
        """own: the layer of this file."""
        for number, include in self.includes(lines):
            other = rank(include)
            if include == f"cairn/{USERS_ONLY}":
                self.complain(path, number, f'"{include}" is for users; include what is needed')
            elif other is None:
                self.complain(path, number, f'"{include}" is not a layer path like "base/arena.h"')
            elif other > LAYERS.index(own):
                self.complain(
                    path, number, f'{own} includes "{include}" of {LAYERS[other]}, to its right'
                )

    def check_outside(self, path, lines):
        rooms = {self.root / path.relative_to(self.root).parts[0], self.root / SCENES}
        for number, include in self.includes(lines):
            own = (path.parent / include).is_file()
            own = own or any((room / include).is_file() for room in rooms)
            if not own and not include.startswith("cairn/"):
                self.complain(
                    path, number, f'"{include}": only "cairn/..." and its own room are visible here'
                )

    def check_file(self, path):
        text = path.read_text(encoding="utf-8")
        lines, code = text.split("\n"), code_of(text)
        parts = path.relative_to(self.root).parts
        self.check_first_line(path, lines)
        self.check_lengths(path, code)
        if parts[0] in ONE_NAME_ONE_TYPE:
            self.check_type_names(path, code)
        if parts[0] == "include":
            if path.name in PUBLIC_LAYER:
                self.check_layer(path, lines, PUBLIC_LAYER[path.name])
            elif path.name != USERS_ONLY:
                self.complain(path, 1, "a public header without a layer (see PUBLIC_LAYER)")
        elif parts[0] == "src":
            if parts[1] in LAYERS:
                self.check_layer(path, lines, parts[1])
            else:
                self.complain(path, 1, f"src/{parts[1]} is not a layer")
            self.check_library_code(path, code)
        elif parts[0] in OUTSIDE:
            self.check_outside(path, lines)
            if parts[0] == SCENES:
                self.check_calls(path, code, FORBIDDEN_IN_SCENES, None)

    def check_tree(self):
        for folder in ["include", "src", *OUTSIDE, *WORKSHOP]:
            top = self.root / folder
            for path in [top, *sorted(top.rglob("*"))]:
                if path.is_dir():
                    self.check_folder(path)
                elif path.suffix in (".c", ".h"):
                    self.check_file(path)


def main():
    root = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else pathlib.Path(__file__).parents[1]
    checker = Checker(root.resolve())
    checker.check_tree()
    for problem in checker.problems:
        print(problem)
    return 1 if checker.problems else 0


if __name__ == "__main__":
    sys.exit(main())
