#!/usr/bin/env python3
# compare_headers.py - what the public headers no longer say, and whether CHANGELOG.md tells it.
#
#     tools/compare_headers.py COMMIT
#
# Lists every function, type, constant and struct member of include/cairn at COMMIT that is gone or
# is declared otherwise now. Ends with 1 if a name of one of them is not in the table "old | new" of
# CHANGELOG.md.
import re
import subprocess
import sys

ROOT = subprocess.run(["git", "rev-parse", "--show-toplevel"], capture_output=True, text=True,
                      check=True).stdout.strip()


def git(*arguments):
    return subprocess.run(["git", "-C", ROOT, *arguments], capture_output=True, text=True,
                          check=True).stdout


def headers_at(commit):
    names = git("ls-tree", "--name-only", commit, "include/cairn/").split()
    return "\n".join(git("show", f"{commit}:{name}") for name in names)


def headers_now():
    names = git("ls-files", "include/cairn").split()
    return "\n".join(open(f"{ROOT}/{name}", encoding="utf-8").read() for name in names)


def plain(text):
    return re.sub(r"\s+", " ", text).strip()


def members_of(name, body):
    """Members of a struct: 'CnBodyDef.mass' -> its type."""
    members = {}
    body = re.sub(r"\bstruct\s*\{(.*?)\}\s*(\w+);", lambda m: f"{plain(m[1])} {m[2]};", body,
                  flags=re.S)
    for declaration in body.split(";"):
        pointer = re.search(r"\(\*(\w+)\)", declaration)
        if pointer:
            members[f"{name}.{pointer[1]}"] = plain(declaration)
            continue
        match = re.match(r"\s*((?:const |unsigned |struct )*\w+)([\s*]+.*)", plain(declaration))
        for part in match[2].split(",") if match else []:
            field = re.search(r"(\w+)\s*(\[.*\])?$", part.strip())
            if field:
                members[f"{name}.{field[1]}"] = match[1] + plain(part.replace(field[1], ""))
    return members


def declarations(text):
    """Everything a program can name: name -> what is said about it."""
    found = {}
    for match in re.finditer(r"#define\s+(CN_\w+)(.*)", text):
        found[match[1]] = plain(match[2].split("//")[0])
    text = re.sub(r"//[^\n]*", "", text)
    text = re.sub(r"#[^\n]*(\\\n[^\n]*)*", "", text)
    for match in re.finditer(r"typedef struct (?:\w+ )?\{(.*?)\n\} (\w+);", text, re.S):
        found[match[2]] = "struct"
        found.update(members_of(match[2], match[1]))
    for match in re.finditer(r"typedef enum (?:\w+ )?\{(.*?)\} (\w+);", text, re.S):
        found[match[2]] = "enum"
        found.update((name, match[2]) for name in re.findall(r"\b(CN_\w+)", match[1]))
    for match in re.finditer(r"CN_API ([^;{]*?\b(cn_\w+)\([^;{]*)[;{]", text, re.S):
        found[match[2]] = plain(match[1])
    for match in re.finditer(r"static inline ([^;{]*?\b(cn_\w+)\([^{]*)\{", text, re.S):
        found[match[2]] = plain(match[1])
    for match in re.finditer(r"typedef ([^;{}]*?\b(Cn\w+)\([^;{}]*\)|struct (Cn\w+) \w+);", text):
        found[match[2] or match[3]] = plain(match[1])
    return found


def told(name, table):
    """Whether a row of the table speaks of a name: of a member, its struct and the member."""
    words = name.split(".")
    return any(all(re.search(rf"\b{word}\b|\b{word}_|`_{word.split('_')[-1]}`", row)
                   for word in words) for row in table)


def main():
    if len(sys.argv) != 2:
        print("use: tools/compare_headers.py COMMIT", file=sys.stderr)
        return 2
    old, new = declarations(headers_at(sys.argv[1])), declarations(headers_now())
    table = [row for row in open(f"{ROOT}/CHANGELOG.md", encoding="utf-8") if row.startswith("| ")]
    missing = 0
    for name in sorted(old):
        if new.get(name) == old[name]:
            continue
        if "." in name and name.split(".")[0] not in new:
            continue  # told with its struct
        is_told = told(name, table)
        missing += not is_told
        print(f"{'told    ' if is_told else 'MISSING '} {name}: {old[name]}  ->  "
              f"{new.get(name, 'gone')}")
    print(f"{len(old)} names then, {len(new)} now; {missing} changes that CHANGELOG.md does not tell")
    return missing > 0


sys.exit(main())
