#!/usr/bin/env python3
# check_schema.py - scene files keep to scenes/scene.schema.json.
#
#     tools/check_schema.py [--schema SCHEMA] [SCENE...]
#
# Without scenes: every scenes/**/*.json of the repository. Understands the keywords of JSON Schema
# draft 2020-12 that the schema uses and refuses a schema with others, so that none is passed over
# in silence. Prints one line "file: path: sentence" for each mistake and exits with 1 when there is
# one, with 2 when the schema cannot be used.
import argparse
import json
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
SCHEMA = ROOT / "scenes" / "scene.schema.json"

ANNOTATIONS = {"$schema", "$defs", "title", "description"}


class SchemaError(Exception):
    """The schema itself is wrong or beyond this validator."""


def is_number(value):
    return isinstance(value, (int, float)) and not isinstance(value, bool)


TYPES = {
    "object": lambda value: isinstance(value, dict),
    "array": lambda value: isinstance(value, list),
    "string": lambda value: isinstance(value, str),
    "number": is_number,
    "integer": lambda value: is_number(value) and float(value).is_integer(),
    "boolean": lambda value: isinstance(value, bool),
    "null": lambda value: value is None,
}


class Validator:
    """Yields (path, sentence) for each mistake. One method for each keyword."""

    def __init__(self, schema):
        self.top = schema
        self.keywords = {
            "$ref": self.ref,
            "type": self.type,
            "const": self.const,
            "enum": self.enum,
            "minimum": self.minimum,
            "maximum": self.maximum,
            "exclusiveMinimum": self.exclusive_minimum,
            "exclusiveMaximum": self.exclusive_maximum,
            "minLength": self.min_length,
            "items": self.items,
            "minItems": self.min_items,
            "maxItems": self.max_items,
            "properties": self.properties,
            "additionalProperties": self.additional_properties,
            "propertyNames": self.property_names,
            "required": self.required,
            "dependentRequired": self.dependent_required,
            "oneOf": self.one_of,
            "not": self.not_,
        }

    def check(self, value, schema, path=""):
        if schema is False:
            yield path, "must not be there"
        if isinstance(schema, bool):
            return
        for keyword, argument in schema.items():
            if keyword in ANNOTATIONS:
                continue
            if keyword not in self.keywords:
                raise SchemaError(f"keyword {keyword!r} is not understood")
            yield from self.keywords[keyword](value, argument, path, schema)

    def is_valid(self, value, schema):
        return next(iter(self.check(value, schema)), None) is None

    def ref(self, value, argument, path, _):
        if not argument.startswith("#/$defs/"):
            raise SchemaError(f"$ref {argument!r} does not point into $defs")
        name = argument.removeprefix("#/$defs/")
        if name not in self.top["$defs"]:
            raise SchemaError(f"$ref {argument!r} points nowhere")
        yield from self.check(value, self.top["$defs"][name], path)

    def type(self, value, argument, path, _):
        if not TYPES[argument](value):
            yield path, f"is not of type {argument}"

    def const(self, value, argument, path, _):
        if value != argument or isinstance(value, bool) != isinstance(argument, bool):
            yield path, f"is not {argument!r}"

    def enum(self, value, argument, path, _):
        if value not in argument:
            yield path, f"is none of {argument}"

    def minimum(self, value, argument, path, _):
        if is_number(value) and not value >= argument:
            yield path, f"is below {argument}"

    def maximum(self, value, argument, path, _):
        if is_number(value) and not value <= argument:
            yield path, f"is above {argument}"

    def exclusive_minimum(self, value, argument, path, _):
        if is_number(value) and not value > argument:
            yield path, f"is not above {argument}"

    def exclusive_maximum(self, value, argument, path, _):
        if is_number(value) and not value < argument:
            yield path, f"is not below {argument}"

    def min_length(self, value, argument, path, _):
        if isinstance(value, str) and len(value) < argument:
            yield path, f"is shorter than {argument}"

    def items(self, value, argument, path, _):
        if isinstance(value, list):
            for index, item in enumerate(value):
                yield from self.check(item, argument, f"{path}[{index}]")

    def min_items(self, value, argument, path, _):
        if isinstance(value, list) and len(value) < argument:
            yield path, f"has fewer than {argument} items"

    def max_items(self, value, argument, path, _):
        if isinstance(value, list) and len(value) > argument:
            yield path, f"has more than {argument} items"

    def properties(self, value, argument, path, _):
        if isinstance(value, dict):
            for key in argument.keys() & value.keys():
                yield from self.check(value[key], argument[key], f"{path}.{key}".lstrip("."))

    def additional_properties(self, value, argument, path, schema):
        if isinstance(value, dict):
            for key in value.keys() - schema.get("properties", {}).keys():
                yield from self.check(value[key], argument, f"{path}.{key}".lstrip("."))

    def property_names(self, value, argument, path, _):
        if isinstance(value, dict):
            for key in value:
                yield from self.check(key, argument, f"{path}.{key}".lstrip("."))

    def required(self, value, argument, path, _):
        if isinstance(value, dict):
            for key in argument:
                if key not in value:
                    yield path, f"needs the key {key!r}"

    def dependent_required(self, value, argument, path, _):
        if isinstance(value, dict):
            for key, others in argument.items():
                for other in others:
                    if key in value and other not in value:
                        yield path, f"has {key!r} without {other!r}"

    def one_of(self, value, argument, path, _):
        count = sum(self.is_valid(value, choice) for choice in argument)
        if count != 1:
            yield path, f"matches {count} of {len(argument)} alternatives, not one"

    def not_(self, value, argument, path, _):
        if self.is_valid(value, argument):
            yield path, "is what it must not be"


def refuse_constant(word):
    raise ValueError(f"{word} is not a JSON number")


def check_file(validator, path):
    """Returns the sentences about one scene file."""
    try:
        scene = json.loads(path.read_text(encoding="utf-8"), parse_constant=refuse_constant)
    except (OSError, ValueError) as error:
        return [f"{path}: {error}"]
    mistakes = sorted(validator.check(scene, validator.top))
    return [f"{path}: {where or 'the file'}: {sentence}" for where, sentence in mistakes]


def main():
    parser = argparse.ArgumentParser(description="Holds scene files against the schema.")
    parser.add_argument("--schema", type=pathlib.Path, default=SCHEMA)
    parser.add_argument("scenes", nargs="*", type=pathlib.Path)
    arguments = parser.parse_args()
    try:
        schema = json.loads(arguments.schema.read_text(encoding="utf-8"))
        validator = Validator(schema)
        scenes = arguments.scenes or sorted(
            path for path in (ROOT / "scenes").rglob("*.json") if path != SCHEMA
        )
        mistakes = [line for path in scenes for line in check_file(validator, path)]
    except (OSError, ValueError, SchemaError) as error:
        print(f"{arguments.schema}: {error}", file=sys.stderr)
        return 2
    print("\n".join(mistakes + [f"{len(scenes)} scenes, {len(mistakes)} mistakes"]))
    return 1 if mistakes else 0


if __name__ == "__main__":
    sys.exit(main())
