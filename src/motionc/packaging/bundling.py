"""Computations packed to run where motionc is not: a Python package that needs NumPy alone, C sources, a manifest.

    <package>/__init__.py      one function a computation, typed and documented, and self_test()
             /fallback/        the same by NumPy
             /lib/             the same compiled for this platform: the one thing that is not the same byte by byte
             /c/               sources and headers
             /manifest.json    robot, computations, ports, units, versions, digests
             /README.md        how to use it from Python, C and C++

As a folder, or as one file that pip installs. What these files say is in bundle_texts.py.
"""

import hashlib
import json
import keyword
import re
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from importlib.resources import files as resources
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from motionc import checked
from motionc.errors import Error, WrongType
from motionc.packaging.bundle_loops import LoopFunction
from motionc.packaging.bundle_texts import (
    FORMAT,
    MAIN,
    MANIFEST,
    Files,
    Function,
    Item,
    manifest_text,
    module_text,
    readme_text,
    summary,
)
from motionc.packaging.wheel import write_wheel
from motionc.program.names import LONGEST, is_word, robot_word
from motionc.runtime.build import compiler
from motionc.runtime.computation import Computation
from motionc.runtime.loops import LoopComputation
from motionc.targets import TARGETS, c, loop_python, python_module
from motionc.writing import write_files

Bundled = Computation | LoopComputation
SOURCES = ("c", "c_simd", "cpp")
"""Targets whose files come along, as far as there are such."""


def bundle(
    computations: Bundled | Sequence[Bundled] | Mapping[str, Bundled],
    folder: str | Path,
    *,
    name: str = "",
    wheel: bool = False,
    library: bool = True,
    licence: str = "",
    tell: Callable[[str], None] = lambda _: None,
) -> Path:
    """Pack computations so that they run without motionc, and return where: a package in `folder`, or a wheel there.

    Args:
        computations: computations and loops in time; functions are called like them, or as a mapping says.
        name: of the package; the robot's by default.
        library: whether a compiled library for this platform is inside, where there is a compiler. It is made for any
            processor of this kind.
        licence: what to say about the rights in the robot's model.
    """
    place = checked.path("bundle: folder", folder, "give a folder")
    checked.name("bundle: name", name, "give the package's name", empty=True)
    checked.name("bundle: licence", licence, "give words", empty=True)
    for option, value in (("wheel", wheel), ("library", library)):
        checked.flag(f"bundle: {option}", value)
    if not callable(tell):
        raise checked.refusal("bundle: tell", tell, "give a function that takes a sentence")
    given = _given(computations)
    package = _package(name, next(iter(given.values())))
    items = list[Item]()
    for key, computation in given.items():
        function = _function(key, computation)
        tell(f"{function}: tracing")
        items.append(_item(computation, function, c.identifier(f"{package}_{function}")))
    names = [one for item in items for one in item.exported]
    for twice in sorted({one for one in names if names.count(one) > 1}):
        raise Error(f"two things would both be called {twice}; name computations: bundle({{'name': computation, …}})")
    tool = compiler.find_compiler() if library else None
    files, binaries = _texts(package, items, licence), Files()
    if tool is not None:
        tool = replace(tool, accepts=tuple(flag for flag in tool.accepts if flag != compiler.NATIVE))
        for item in items:
            tell(f"{item.name}: compiling")
            binaries[f"lib/{item.name}.so"] = _compiled(item, tool)
    digest = hashlib.sha256(b"".join(path.encode() + b"\0" + data for path, data in sorted(files.items()))).hexdigest()
    release = f"1.0+{digest[:8]}"
    manifest = manifest_text(package, release, items, licence, files | binaries, tool)
    files[MANIFEST] = (json.dumps(manifest, indent=2) + "\n").encode()
    files |= binaries
    tell("writing")
    if wheel:
        inside = {f"{package}/{path}": data for path, data in files.items()}
        about, text = summary(items), files["README.md"].decode()
        return write_wheel(place, package, release, inside, summary=about, readme=text, native=bool(binaries))
    return _write(place / package, files)


def _function(name: str, computation: Bundled) -> str:
    """What a function is called in Python."""
    if isinstance(computation, LoopComputation):
        return loop_python.in_words(computation.loop, name).name
    return python_module.names().identifier(name)


def _item(computation: Bundled, name: str, c_name: str) -> Item:
    if isinstance(computation, LoopComputation):
        return LoopFunction(computation, name, c_name)
    return Function(computation, name, c_name, python_module.names().ports(computation.program, name))


def _given(computations: Bundled | Sequence[Bundled] | Mapping[str, Bundled]) -> dict[str, Bundled]:
    """Computations by the names their functions get."""
    if isinstance(computations, Computation | LoopComputation):
        computations = [computations]
    wanted = "give a computation, a list of them, or {'name': computation, …}"
    named = (
        computations.items()
        if isinstance(computations, Mapping)
        else [(_name_of(one), one) for one in checked.several("bundle: computations", computations, wanted)]
    )
    given: dict[str, Bundled] = {}
    taken = dict[str, str]()
    for name, computation in named:
        checked.name("bundle: computations", name, wanted)
        _name_of(computation)
        function = _function(name, computation)
        if function in taken:
            raise Error(
                f"two computations would both be called {function}; name them: bundle({{'name': computation, …}})"
            )
        taken[function] = name
        given[name] = computation
    if not given:
        raise Error("bundle: computations is empty; give one at least: bundle([mc.inverse_dynamics(robot), …], folder)")
    return given


def _name_of(computation: object) -> str:
    if not isinstance(computation, Computation | LoopComputation):
        raise WrongType(f"a bundle holds computations, not a {type(computation).__name__}")
    return computation.name


def _package(name: str, computation: Bundled) -> str:
    """What the package is called: a word of Python that hides nothing Python has."""
    hidden = sys.stdlib_module_names | {"numpy", "motionc", "test", "tests"}
    if not name:
        plain = c.identifier(robot_word(computation.robot.name or computation.name))
        return f"{plain}_robot" if keyword.iskeyword(plain) or plain in hidden else plain
    if not is_word(name, LONGEST) or keyword.iskeyword(name):
        raise Error(f"a package cannot be called {name!r}: letters, digits and underscores, a letter first, at most 63")
    if name in hidden:
        raise Error(f"a package called {name!r} would hide another of this name; call it {name}_robot, say")
    return name


def _texts(package: str, items: Sequence[Item], licence: str) -> Files:
    """Everything that is the same byte by byte on every machine."""
    texts: dict[str, str] = {
        "__init__.py": module_text(package, items),
        "__main__.py": MAIN,
        "py.typed": "",
        "fallback/__init__.py": '"""The same functions by NumPy, one module each."""\n',
        "calling.py": _own("packaging/bundled.py"),
        "python_abi.py": _own("runtime/build/python_abi.py"),
        "real.py": _own("real.py"),
        **({"looping.py": _own("packaging/bundled_loop.py")} if _loops(items) else {}),
        "README.md": readme_text(package, items, licence),
    }
    known: dict[str, Any] = {}
    for item in items:
        (module,) = item.computation.sources("python", item.name).values()
        texts[f"fallback/{item.name}.py"] = module
        for target in [target for target in SOURCES if target in TARGETS]:
            for file, text in item.computation.sources(target, item.c_name).items():
                texts[f"{target}/{item.c_name}/{file}" if target == "cpp" else f"{target}/{file}"] = text
        known[item.name] = item.trials()
    texts["trials.json"] = json.dumps(known) + "\n"
    return {path: text.encode() for path, text in texts.items()}


def _loops(items: Sequence[Item]) -> bool:
    return any(isinstance(item, LoopFunction) for item in items)


def _own(file: str) -> str:
    """A file of ours that bundles carry along, beside the others."""
    text = resources("motionc").joinpath(file).read_text(encoding="utf-8")
    text = re.sub(r"from motionc\.packaging\.bundled import", "from .calling import", text)
    return re.sub(r"from motionc[\w.]* import", "from . import", text)


def _compiled(item: Item, tool: compiler.Compiler) -> bytes:
    """A library of one function, for one state by glue and for many in a row; of a loop, for lanes one by one."""
    text, size = item.library()
    with TemporaryDirectory() as place:
        path = Path(place) / "library.so"
        compiler.compile_library(tool, text, path, instructions=size, label=f"{item.name} for a bundle")
        return path.read_bytes()


def _write(folder: Path, files: Files) -> Path:
    """Write a package where nothing is, or where one was: what only that one had goes once the new one is there."""
    if folder.is_symlink() or (folder.exists() and not folder.is_dir()):
        raise Error(f"{folder} is no folder of its own; remove it, or give the package another name")
    earlier = _listed(folder) if folder.is_dir() and any(folder.iterdir()) else []
    write_files({folder / path: data for path, data in files.items()})
    try:
        for old in set(earlier).difference(files):
            (folder / old).unlink(missing_ok=True)
            if len(Path(old).parts) > 1 and (folder / old).parent.is_dir() and not any((folder / old).parent.iterdir()):
                (folder / old).parent.rmdir()
    except OSError as error:
        raise Error(f"{folder} is written, but not all of the earlier bundle is gone: {error}") from error
    return folder


def _listed(folder: Path) -> list[str]:
    """The files of an earlier bundle, as its manifest lists them; nothing outside its folder."""
    try:
        manifest = json.loads((folder / MANIFEST).read_text(encoding="utf-8"))
        assert manifest["format"] == FORMAT
        paths = [str(path) for path in manifest["files"]]
    except (OSError, ValueError, KeyError, TypeError, AssertionError):
        raise Error(
            f"{folder} holds something that is no bundle; remove it, or give the package another name"
        ) from None
    root = folder.resolve()
    return [path for path in paths if (root / path).resolve().is_relative_to(root)]
