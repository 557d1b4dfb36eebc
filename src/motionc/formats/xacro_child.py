"""What runs in the process that expands macros: xacro itself, behind walls. It is run by its path, never imported.

xacro evaluates `${…}` and `$(eval …)` with Python's eval, includes any file, and reads the environment. Here every
expression is parsed first, when its text is complete, and refused unless all its syntax is on a list; files are opened
within roots alone; there is no environment; memory, time and output are bounded. Should xacro have another way to
evaluate or to open, an audit hook, which nothing can take out, refuses what is not on its own list. Nothing of motionc
is imported: isolated Python (-I) does not know where it is.
"""

import ast
import json
import math
import os
import re
import sys
from collections.abc import Callable
from contextlib import suppress
from importlib import import_module
from types import ModuleType
from typing import Any, NoReturn

NO_XACRO = 3
"""Exit status where xacro cannot be imported."""

LONGEST_EXPRESSION = 10_000
MOST_BITS = 100_000
MOST_ITEMS = 1_000_000
MOST_LETTERS = 10_000_000

SYNTAX = (
    *(ast.Expression, ast.Constant, ast.Name, ast.Load, ast.Attribute, ast.Subscript, ast.Slice, ast.Call, ast.keyword),
    *(ast.BinOp, ast.Add, ast.Sub, ast.Mult, ast.Div, ast.FloorDiv, ast.Mod, ast.Pow),
    *(ast.UnaryOp, ast.UAdd, ast.USub, ast.Not, ast.BoolOp, ast.And, ast.Or, ast.IfExp),
    *(ast.Compare, ast.Eq, ast.NotEq, ast.Lt, ast.LtE, ast.Gt, ast.GtE, ast.Is, ast.IsNot, ast.In, ast.NotIn),
    *(ast.List, ast.Tuple, ast.Dict, ast.Set, ast.Starred),
)
"""All an expression may be made of: no lambda, no comprehension, no assignment, no f-string, no shift."""

WORDS: dict[type[ast.AST], str] = {
    ast.Lambda: "a lambda",
    ast.ListComp: "a comprehension",
    ast.SetComp: "a comprehension",
    ast.DictComp: "a comprehension",
    ast.GeneratorExp: "a comprehension",
    ast.NamedExpr: "an assignment",
    ast.JoinedStr: "an f-string",
}

REFUSED_ATTRIBUTES = {"format", "format_map", "mro"}
"""They reach attributes by strings, or classes. Names that begin with an underscore are refused anyway."""

REFUSED_NAMES = ("type", "vars", "hash")
"""Of xacro's `python` names: they make classes, or show what is behind objects."""

EVENTS = ("open", "compile", "exec", "os.listdir", "os.scandir", "glob.glob", "glob.glob/2", "builtins.id")
"""What Python may tell its audit hook once xacro is running; any other event ends the expansion."""


WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND


class Refused(Exception):
    """Something a .xacro file may not do."""


# ---------------------------------------------------------------- expressions


def checked(text: str) -> ast.Expression:
    """The syntax of an expression, refused unless everything in it is on the list."""
    if len(text) > LONGEST_EXPRESSION:
        raise Refused(f"an expression of {len(text)} letters; {LONGEST_EXPRESSION} are the most")
    tree = ast.parse(text.strip(), "<expression>", "eval")
    for node in ast.walk(tree):
        if not isinstance(node, SYNTAX):
            raise Refused(f"{WORDS.get(type(node), type(node).__name__)} is no part of an expression in a .xacro file")
        if isinstance(node, ast.Name) and node.id.startswith("__"):
            raise Refused(f"the name {node.id} begins with two underscores")
        if isinstance(node, ast.Attribute) and (node.attr.startswith("_") or node.attr in REFUSED_ATTRIBUTES):
            raise Refused(f"the attribute {node.attr} is not for a .xacro file")
    return tree


class Bounded(ast.NodeTransformer):
    """Products and powers become calls that look at what they are given first."""

    def visit_BinOp(self, node: ast.BinOp) -> ast.AST:
        self.generic_visit(node)
        if not isinstance(node.op, ast.Mult | ast.Pow):
            return node
        name = "__times__" if isinstance(node.op, ast.Mult) else "__power__"
        return ast.copy_location(ast.Call(ast.Name(name, ast.Load()), [node.left, node.right], []), node)


def times(a: Any, b: Any) -> Any:
    """a · b, where the product is of a size one can want."""
    for items, count in ((a, b), (b, a)):
        if isinstance(items, str | bytes | list | tuple) and isinstance(count, int) and len(items) * count > MOST_ITEMS:
            raise Refused(f"a sequence of {len(items) * count:.3g} items; {MOST_ITEMS} are the most")
    if isinstance(a, int) and isinstance(b, int) and a.bit_length() + b.bit_length() > MOST_BITS:
        raise Refused("a product of numbers far too large")
    return a * b


def power(a: Any, b: Any) -> Any:
    """a ** b, where the power is of a size one can want."""
    if isinstance(a, int) and isinstance(b, int) and a.bit_length() * b > MOST_BITS:
        raise Refused("a power far too large")
    return a**b


def few(*arguments: int) -> range:
    """A range one can walk along."""
    steps = range(*arguments)
    if len(steps) > MOST_ITEMS:
        raise Refused(f"a range of {len(steps):.3g} steps; {MOST_ITEMS} are the most")
    return steps


def small(function: Callable[..., int]) -> Callable[..., int]:
    """A function of whole numbers whose result grows without bound, for numbers up to a thousand."""

    def bounded(*arguments: int) -> int:
        if any(abs(argument) > 1000 for argument in arguments):
            raise Refused(f"math.{function.__name__} of a number above 1000")
        return function(*arguments)

    return bounded


def tokenize(text: str, sep: str = ",; ", skip_empty: bool = True) -> list[str]:
    """The pieces of a text between any of the letters of `sep`."""
    items = re.split(f"[{re.escape(sep)}]", text)
    return [item for item in items if item or not skip_empty]


CALLED = {"__times__": times, "__power__": power}


def evaluated(text: str, globals: dict[str, Any], locals: Any = None) -> Any:
    """In the place of xacro's safe_eval: the value of an expression, checked, with no builtins."""
    tree = ast.fix_missing_locations(Bounded().visit(checked(text)))
    globals.update(__builtins__=CALLED)
    return eval(compile(tree, "<expression>", "eval"), globals, locals)


# ---------------------------------------------------------------- files


class Roots:
    """The folders within which files are opened, all links followed."""

    def __init__(self, folders: list[str]) -> None:
        self.folders = list(dict.fromkeys(os.path.realpath(folder) for folder in folders))
        self.said = ", ".join(self.folders)

    def inside(self, name: str) -> bool:
        path = os.path.realpath(name)
        return any(path == folder or path.startswith(os.path.join(folder, "")) for folder in self.folders)

    def checked(self, name: str) -> str:
        """The true path of a regular file within the roots."""
        if not self.inside(name):
            raise Refused(f"{name} is outside the folders given ({self.said}); name its folder in roots=")
        path = os.path.realpath(name)
        if os.path.exists(path) and not os.path.isfile(path):
            raise Refused(f"{name} is no regular file")
        return path

    def package(self, name: str) -> str:
        """In the place of `$(find …)`: a package that is a root, or lies in one."""
        for folder in self.folders:
            for path in (folder, os.path.join(folder, name)):
                if os.path.basename(path) == name and os.path.isdir(path) and self.inside(path):
                    return path
        raise Refused(f"package {name} is in none of the folders given ({self.said}); name its folder in roots=")


# ---------------------------------------------------------------- walls


def bound(bytes: int, seconds: int) -> None:
    """Limits of this process: memory and time, no file written, no core. Windows has none of them."""
    try:
        import resource
    except ImportError:
        return
    for limit, most in (("AS", bytes), ("CPU", seconds), ("FSIZE", 0), ("CORE", 0), ("NPROC", 0)):
        with suppress(AttributeError, ValueError, OSError):  # a limit that is lower already, or not known here
            resource.setrlimit(getattr(resource, f"RLIMIT_{limit}"), (most, most))


def watch(roots: Roots) -> None:
    """Refuse, for good, what is neither computing nor reading within the roots."""

    def hook(event: str, arguments: tuple[Any, ...]) -> None:
        if event.startswith(("cpython.", "sys.")) or event in EVENTS[1:]:
            return
        if event == "open" and isinstance(arguments[0], str) and not arguments[2] & WRITING:
            if roots.inside(arguments[0]):
                return
            raise Refused(f"{arguments[0]} is outside the folders given ({roots.said}); it is not opened")
        raise Refused(f"a .xacro file may not do this: {event} {arguments[:1]}")

    sys.addaudithook(hook)


def wall(xacro: ModuleType, substitution: ModuleType, roots: Roots) -> None:
    """Put what is above in the place of all that xacro evaluates, opens and asks with."""

    def opened(name: str, *arguments: Any, **options: Any) -> Any:
        return open(roots.checked(os.path.join(xacro.root_dir, name)))

    def no_eval(*arguments: Any, **options: Any) -> NoReturn:
        raise Refused("this version of xacro evaluates in a way that is not known here; pip install 'xacro~=2.1'")

    def no_env(name: str) -> NoReturn:
        raise Refused(f"$(env {name}): a .xacro file sees no environment; give an argument: $(arg {name})")

    def eval_argument(text: str, context: dict[str, Any]) -> str:
        given = context.get("arg", {})

        def argument(name: str) -> Any:
            if name not in given:
                raise substitution.ArgException(name)
            return substitution.convert_value(given[name], "auto")

        names = {name: value for name, value in vars(math).items() if not name.startswith("_")}
        names |= {name: argument(name) for name in given} | {"true": True, "false": False}
        names |= {"arg": argument, "find": roots.package, "optenv": optional, "env": no_env}
        names |= {"list": list, "dict": dict, "map": map, "str": str, "float": float, "int": int}
        return str(evaluated(text, _grown(names)))

    def optional(name: str, default: str = "") -> str:
        return default

    eval_text = xacro.eval_text

    def bounded_text(text: str, symbols: Any) -> Any:
        value = eval_text(text, symbols)
        if isinstance(value, str) and len(value) > MOST_LETTERS:
            raise Refused(f"a text of {len(value)} letters; {MOST_LETTERS} are the most")
        return value

    for module in (xacro, substitution):
        vars(module).update(open=opened, eval=no_eval, exec=no_eval)
    vars(xacro).update(safe_eval=evaluated, eval_text=bounded_text, tokenize=tokenize)
    vars(xacro).update(root_dir=os.path.dirname(sys.argv[1]))
    vars(substitution).update(_eval=eval_argument, _eval_env=no_env, _eval_optenv=optional, _eval_find=roots.package)
    # names are bound when this table is made: once more, now that others stand behind them
    symbols = xacro.create_global_symbols()
    for table in (symbols, symbols["python"], symbols["math"]):
        for name in REFUSED_NAMES:
            dict.pop(table, name, None)
        _grown(table)
    vars(xacro)["_global_symbols"] = symbols


def _grown(names: dict[str, Any]) -> dict[str, Any]:
    """Names with bounded functions in the place of those whose results grow without bound."""
    for name in ("factorial", "comb", "perm"):
        if name in dict.keys(names):
            dict.__setitem__(names, name, small(getattr(math, name)))
    if "range" in dict.keys(names):
        dict.__setitem__(names, "range", few)
    return names


# ---------------------------------------------------------------- the process


class Silence:
    """Where xacro's warnings go."""

    def write(self, text: str) -> int:
        return len(text)

    def flush(self) -> None: ...


def sentence(error: BaseException | None) -> str:
    """What went wrong, from the innermost cause that says something."""
    outer = error
    while error is not None:
        if isinstance(error, MemoryError):
            return "it takes more memory than an expansion may have"
        if isinstance(error, RecursionError):
            return "it goes too deep: a macro that calls itself, or nests too much"
        if isinstance(error, Refused):
            return str(error)
        error = getattr(error, "exc", None) or error.__cause__ or error.__context__
    return str(outer) or type(outer).__name__


def main(path: str, said: str) -> None:
    options = json.loads(said)
    sys.path += options["packages"]
    try:
        # whatever is imported later is refused
        xacro, substitution, *_ = (
            import_module(name) for name in ("xacro", "xacro.substitution_args", "yaml", "xml.dom.expatbuilder")
        )
    except ImportError:
        sys.exit(NO_XACRO)
    if not all(hasattr(xacro, name) for name in ("safe_eval", "eval_text", "create_global_symbols")):
        sys.exit(NO_XACRO)
    out, err = sys.stdout, sys.stderr
    bound(options["bytes"], options["seconds"])
    try:
        roots = Roots(options["roots"])
        wall(xacro, substitution, roots)
        watch(roots)
        sys.stdout = sys.stderr = Silence()
        text = xacro.process_file(path, mappings=options["arguments"]).toprettyxml(indent="  ")
        if len(text) > options["largest"]:
            raise Refused("the expanded text is too large; look for a macro that repeats")
        out.write(text)
        out.flush()
    except BaseException as error:
        err.write(" ".join(sentence(error)[:1000].split()))
        err.flush()
        os._exit(1)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2])
