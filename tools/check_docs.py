#!/usr/bin/env python3
# check_docs.py - what the documents show and point at is there.
#
#     tools/check_docs.py [ROOT]
#
# In README.md and docs/manual every ```c block is text of a file in examples/, which the tests
# compile and run: the whole file, or some consecutive lines of it (indented as one likes).
# Every relative link of a Markdown file, every path docs/*.md named anywhere, and every equation
# cited as `docs/theory/page.md (3)` or `(3)-(5)`, also after a line break, exists; equations end
# their line with the number, as `(3)` or `\tag{3} $$`.
# Every source named in `backticks` in ARCHITECTURE.md, STYLE.md, CONTRIBUTING.md and docs/ exists
# (but in docs/adr, which says what was decided when it was written):
# a path from the root, as `src/base/arena.c`, or the end of one, as `arena.c`; `<name>` and `*`
# stand for any part of a name, `{a,b}` for either.
# In docs/manual/sources.md every cn_function, CnType (with .member) and CN_CONSTANT in `backticks` is
# in include/cairn, every `step.key`, `solver.key`, ... is a key of the scene schema, and every row of a
# table with a column "test" names at least one: a function of a test program, `a_test_of_tests`, or
# a case of `cairn validate`, `validate two-by-two`; all of them exist.
# Prints one line "file:line: sentence" for each failure and exits with 1 when there is one.
import pathlib
import re
import sys

C_BLOCK = re.compile(r"^```c\n(.*?)^```$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\]\(([^)#\s]+)(?:#[^)]*)?\)")
DOCUMENT = re.compile(r"\bdocs/[\w/.-]*\w\.(?:md|json)\b")
CITATION = re.compile(r"\b(docs/theory/[\w/]+\.md)\s+(?:(?://|#)\s*)?\((\d+)\)(?:-\((\d+)\))?")
ANY_BLOCK = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)
EQUATION = re.compile(r"(?:\((?=\d+\)$)|\\tag\{(?=\d+\} \$\$$))(\d+)", re.M)
SPAN = re.compile(r"`([^`\n]+)`")
SOURCE = re.compile(r"[\w./*<>{},-]+")
NAMERS = ["ARCHITECTURE.md", "STYLE.md", "CONTRIBUTING.md"]
TOP = "(?:include|src|cli|tests|bench|examples|docs|tools|scenes|cmake)/"
SCENE_KEY = re.compile(r"(?:step|solver|bodies|joints|constraints|materials|series)\.(\w+)")
CASE = re.compile(r'^    \{"([a-z0-9-]+)",', re.MULTILINE)
TEST_FUNCTION = re.compile(r"^static void (\w+)\(|^    CLAIM\((\w+)\)|^    def (test_\w+)\(", re.MULTILINE)
ROOMS = ["include", "src", "cli", "tests", "bench", "examples", "docs"]


def blank(match):
    """As long as the match and with its line breaks, but empty."""
    return re.sub(r"[^\n]", " ", match.group(0))


def squeezed(text):
    """Lines without indentation and blank lines, so that a fragment may be shown on its own."""
    return "\n".join(line.strip() for line in text.splitlines() if line.strip())


def alternatives(name):
    """The names that `a{b,c}d` stands for."""
    match = re.search(r"\{([^{}]*)\}", name)
    if match is None:
        return [name]
    parts = match.group(1).split(",")
    return [n for p in parts for n in alternatives(name[: match.start()] + p + name[match.end() :])]


def is_source_name(name):
    """A path from the root, or a C file or header."""
    return re.match(TOP, name) or re.search(r"\w\.[ch]$", name)


class Checker:
    def __init__(self, root):
        self.root = root
        self.problems = []
        self.tree = self.list_tree()

    def list_tree(self):
        """All files and folders in rooms where sources are, as "/src/base/arena.c"."""
        top = [path for path in self.root.iterdir() if re.match(TOP, path.name + "/")]
        paths = top + [path for room in top for path in room.rglob("*")]
        return ["/" + path.relative_to(self.root).as_posix() for path in paths]

    def exists(self, name):
        pattern = re.sub(r"<\w+>|\\\*", "[^/]*", re.escape(name.rstrip("/")))
        start = "/" if re.match(TOP, name) else ".*/"
        matcher = re.compile(start + pattern).fullmatch
        return any(matcher(path) for path in self.tree)

    def check_sources_named(self, path, text):
        for span in SPAN.finditer(ANY_BLOCK.sub(blank, text)):
            for match in SOURCE.finditer(span.group(1)):
                for name in alternatives(match.group(0).rstrip(".,")):
                    if is_source_name(name) and not self.exists(name):
                        position = span.start(1) + match.start()
                        self.complain(path, text, position, f"there is no {name}")

    def complain(self, path, text, position, sentence):
        line = text.count("\n", 0, position) + 1
        self.problems.append(f"{path.relative_to(self.root)}:{line}: {sentence}")

    def check_code_blocks(self, path, text):
        examples = [file.read_text() for file in sorted((self.root / "examples").glob("*.c"))]
        for match in C_BLOCK.finditer(text):
            block = match.group(1)
            if "int main(" in block:
                known = block in examples
            else:
                part = "\n" + squeezed(block) + "\n"
                known = any(part in "\n" + squeezed(example) + "\n" for example in examples)
            if not known:
                self.complain(path, text, match.start(), "this C code is not in examples/")

    def check_links(self, path, text):
        prose = ANY_BLOCK.sub(blank, text)
        for match in LINK.finditer(prose):
            target = match.group(1)
            if ":" not in target and not (path.parent / target).exists():
                self.complain(path, text, match.start(), f"{target} does not exist")

    def names_of_tests(self):
        """Functions of test programs, and "validate case" of the program's known answers."""
        names = set()
        for suffix in ("*.c", "*.h", "*.py"):
            for file in (self.root / "tests").rglob(suffix):
                names.update(n for m in TEST_FUNCTION.findall(file.read_text()) for n in m if n)
        for file in (self.root / "cli" / "validate").glob("*.c"):
            names.update("validate " + case for case in CASE.findall(file.read_text()))
        return names

    def check_interface_named(self, path, text):
        headers = "".join(f.read_text() for f in (self.root / "include").rglob("*.h"))
        words = set(re.findall(r"\w+", headers))
        schema = self.root / "scenes" / "scene.schema.json"
        keys = set(re.findall(r'"(\w+)": ', schema.read_text())) if schema.exists() else set()
        for span in SPAN.finditer(ANY_BLOCK.sub(blank, text)):
            name = span.group(1)
            if re.match(r"cn_\w+$|CN_\w+$|Cn\w+(\.\w+)?$", name):
                missing = [word for word in name.split(".") if word not in words]
            else:
                match = SCENE_KEY.fullmatch(name)
                missing = [match.group(1)] if match and match.group(1) not in keys else []
            if missing:
                self.complain(path, text, span.start(1), f"there is no {name}")

    def check_tests_named(self, path, text):
        known, column, position = self.names_of_tests(), None, 0
        for line in text.splitlines(keepends=True):
            cells = [cell.strip() for cell in re.split(r"(?<!\\)\|", line.strip())[1:-1]]
            if not cells:
                column = None
            elif column is None:
                column = cells.index("test") if "test" in cells else -1
            elif column >= 0 and not set(cells[0]) <= set("-: "):
                names = SPAN.findall(cells[column]) if column < len(cells) else []
                if not names:
                    self.complain(path, text, position, "this line names no test")
                for name in names:
                    if name not in known:
                        self.complain(path, text, position, f"there is no test {name}")
            position += len(line)

    def check_documents_named(self, path, text):
        for match in DOCUMENT.finditer(text):
            if not (self.root / match.group(0)).exists():
                self.complain(path, text, match.start(), f"{match.group(0)} does not exist")

    def check_equations_cited(self, path, text):
        for match in CITATION.finditer(text):
            page = self.root / match.group(1)
            numbered = EQUATION.findall(page.read_text()) if page.exists() else []
            for number in match.groups()[1:]:
                if page.exists() and number is not None and number not in numbered:
                    sentence = f"{match.group(1)} has no equation ({number})"
                    self.complain(path, text, match.start(), sentence)

    def check_tree(self):
        files = sorted(self.root.glob("*.md"))
        for room in ROOMS:
            files += sorted((self.root / room).rglob("*"))
        for path in files:
            if path.suffix not in (".md", ".c", ".h"):
                continue
            text = path.read_text(encoding="utf-8")
            if path.suffix == ".md":
                self.check_links(path, text)
                if path.name == "README.md" or path.parent.name == "manual":
                    self.check_code_blocks(path, text)
                if path == self.root / "docs" / "manual" / "sources.md":
                    self.check_interface_named(path, text)
                    self.check_tests_named(path, text)
                text = LINK.sub(blank, text)
                docs = self.root / "docs"
                if path.name in NAMERS or (docs in path.parents and path.parent != docs / "adr"):
                    self.check_sources_named(path, text)
            self.check_documents_named(path, text)
            self.check_equations_cited(path, text)


def main():
    root = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else pathlib.Path(__file__).parents[1]
    checker = Checker(root.resolve())
    checker.check_tree()
    for problem in checker.problems:
        print(problem)
    return 1 if checker.problems else 0


if __name__ == "__main__":
    sys.exit(main())
