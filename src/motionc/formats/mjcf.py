"""How does an MJCF file describe a robot: compiled by MuJoCo itself, then read into the model.

Defaults, frames, angles and inertia from geoms are thus what MuJoCo makes of them. The world is the root link, a body
with several joints becomes a chain of massless links, q is MuJoCo's qpos, joint by joint. What has no place in a tree
is a finding, Mj1 to Mj9, and every element has a fate. MuJoCo never sees the file itself: mjcf_text.py says why.
"""

import re
import warnings
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from motionc.errors import Error
from motionc.formats.document import Document
from motionc.formats.mjcf_bodies import BodyReader
from motionc.formats.mjcf_handover import Handover
from motionc.formats.mjcf_text import hand_over
from motionc.formats.quoting import quoting
from motionc.formats.xml_tree import ReadError
from motionc.model.rules import check_chain

__all__ = ["import_mujoco", "read_mjcf"]


def read_mjcf(source: Path | str | bytes, name_hint: str = "", roots: Iterable[Path | str] = ()) -> Document:
    """Read an MJCF file (a Path) or MJCF text (str or bytes; `name_hint` is what messages call it).

    Includes and meshes are read from the file's folder and from `roots`, and from nowhere else.

    >>> body = "<body name='rod'><joint name='hinge'/><geom size='0.1' mass='2'/></body>"
    >>> document = read_mjcf(f"<mujoco model='pendulum'><worldbody>{body}</worldbody></mujoco>")
    >>> [joint.name for joint in document.chain.joints], document.chain.root.name, document.findings.ok
    (['hinge'], 'world', True)
    """
    return quoting(source, name_hint, lambda: _read(source, name_hint, roots))


def _read(source: Path | str | bytes, name_hint: str, roots: Iterable[Path | str]) -> Document:
    out = hand_over(source, name_hint, roots)
    name = out.root.attributes.get("model") or (source.stem if isinstance(source, Path) else "") or "model"
    spec, model = _compiled(out)
    chain = BodyReader(out, spec, model).chain(name)
    return Document(chain, tuple(out.fates()), check_chain(chain, out.notes))


def import_mujoco(what: str = "MJCF") -> Any:
    """The package mujoco, or a sentence that says what needs it, and how to get it."""
    try:
        import mujoco
    except ImportError as missing:
        raise Error(f"{what} needs the package mujoco; get it with: pip install 'motionc[mujoco]'") from missing
    return mujoco


def _compiled(out: Handover) -> tuple[Any, Any]:
    """MuJoCo's spec and model of the text; its complaints are located in the file."""
    mujoco, heard = import_mujoco(), list[str]()
    before = mujoco.get_mju_user_warning()
    mujoco.set_mju_user_warning(heard.append)  # else it writes a log file where we stand
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        try:
            spec = mujoco.MjSpec.from_string(out.text, assets=out.meshes)
            model = spec.compile()
        except (ValueError, RuntimeError, mujoco.FatalError) as refused:
            raise _located(out, str(refused)) from None
        finally:
            mujoco.set_mju_user_warning(before)
    for words in dict.fromkeys([*heard, *(str(warning.message) for warning in said)]):
        out.note("Mj9", out.root.place, f"MuJoCo says: {words.strip()}", "see MuJoCo's documentation")
    return spec, model


def _located(out: Handover, said: str) -> ReadError:
    """What MuJoCo says about a line of its text, said about the element that the line came from."""
    line = re.search(r"\bline (\d+)", said)
    words = re.sub(r"\s*Element (name )?'[^']*'(, id \d+)?(, line \d+)?", "", said).strip().replace("\n", "; ")
    words = re.sub(r"^(XML |Schema )*[Ee]rror: ", "", words)
    element = (out.element(int(line[1])) if line else None) or out.root
    return element.error(
        f"MuJoCo does not compile it: {words}", "correct it; MuJoCo's XML reference says what it takes"
    )
