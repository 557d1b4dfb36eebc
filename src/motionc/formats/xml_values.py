"""From the attributes of XML elements to names and numbers, refused where they stand when they are neither."""

import re
from difflib import get_close_matches

from motionc.checked import LONGEST_NAME
from motionc.formats.xml_tree import Element, quoted
from motionc.geometry.lie import rotation_from_quaternion, rotation_from_rpy
from motionc.model.chain import HERE, LARGEST, Array
from motionc.model.findings import Finding, Severity

_WORD = re.compile(r"[^ \t\r\n]+")
_FLOAT = re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
_LONGEST_NUMBER = 400  # characters, spaces included
_LETTERS = re.compile(r"[^\W\d_]\S*")
_INFINITE = re.compile(r"[+-]?inf(?:inity)?", re.IGNORECASE)


def required(element: Element, attribute: str) -> str:
    if attribute not in element.attributes:
        near = get_close_matches(attribute, element.attributes, 1, 0.7)
        remedy = f"did you mean {attribute} by {quoted(near[0])}?" if near else f'add {attribute}="…"'
        raise element.error(f"<{element.tag}> has no {attribute}", remedy, *near)
    if not (text := element.attributes[attribute]).strip():
        raise element.error(f"the {attribute} of <{element.tag}> is empty: {quoted(text)}", "give one", attribute)
    return text


def name_of(element: Element, attribute: str = "name") -> str:
    """A name, of the element itself or of another."""
    if len(name := required(element, attribute)) > LONGEST_NAME:
        message = f"the {attribute} {quoted(name)} has {len(name)} characters, more than {LONGEST_NAME}"
        raise element.error(message, "give a shorter one", attribute)
    return name


def number(element: Element, attribute: str, default: float | None = None, infinite: bool = False) -> float:
    return numbers(element, attribute, 1, None if default is None else (default,), infinite)[0]


def numbers(
    element: Element, attribute: str, count: int, default: tuple[float, ...] | None = None, infinite: bool = False
) -> tuple[float, ...]:
    """So many numbers of an attribute; where it is absent, the default, and an error where there is none."""
    if default is not None and attribute not in element.attributes:
        return default
    text = required(element, attribute)
    if len(text) > _LONGEST_NUMBER * count:
        said = f"{attribute} = {quoted(text)} has {len(text)} characters"
        raise element.error(said, f"give {count} numbers", attribute)
    words = _WORD.findall(text)
    if len(words) != count and (other := next((word for word in words if _LETTERS.fullmatch(word)), "")):
        said = f"{attribute} = {quoted(text)}: {quoted(other)} is no number"
        raise element.error(said, "give numbers alone: lengths are in m, angles in rad, masses in kg", attribute)
    if len(words) != count:
        said = f"{attribute} = {quoted(text)} holds {len(words)} numbers, not {count}"
        raise element.error(said, "separate numbers by spaces", attribute)
    return tuple([_parsed(word, element, attribute, infinite) for word in words])


def _parsed(word: str, element: Element, attribute: str, infinite: bool) -> float:
    if infinite and _INFINITE.fullmatch(word):
        return float(word)
    if not _FLOAT.fullmatch(word):
        message = f"{attribute} = {quoted(element.attributes[attribute])}: {quoted(word)} is not a number"
        raise element.error(message, "write a finite number with a decimal point, such as -1.5 or 2e-3", attribute)
    value = float(word)
    if not infinite and abs(value) >= LARGEST:
        message = f"{attribute} = {quoted(element.attributes[attribute])}: {quoted(word)} is too large"
        raise element.error(message, "check its unit; lengths are in m, angles in rad, masses in kg", attribute)
    return value


def by_name(elements: list[Element]) -> dict[str, Element]:
    found: dict[str, Element] = {}
    for element in elements:
        first = found.setdefault(name := name_of(element), element)
        if first is not element:
            message = f"a {element.tag} named {quoted(name)} stands in line {first.place.line} already"
            raise element.error(message, "rename one of the two", "name")
    return found


def error(rule: str, element: Element, message: str, remedy: str, attribute: str = "") -> Finding:
    return Finding(rule, Severity.ERROR, element.at(attribute), message, remedy)


def warning(rule: str, element: Element, message: str, remedy: str, attribute: str = "") -> Finding:
    return Finding(rule, Severity.WARNING, element.at(attribute), message, remedy)


def note(rule: str, element: Element, message: str, remedy: str, attribute: str = "") -> Finding:
    return Finding(rule, Severity.NOTE, element.at(attribute), message, remedy)


def pose(origin: Element | None) -> Array:
    """The pose an `<origin>` gives; none gives none."""
    if origin is None:
        return HERE
    xyz, rpy = numbers(origin, "xyz", 3, (0.0, 0.0, 0.0)), numbers(origin, "rpy", 3, (0.0, 0.0, 0.0))
    found = HERE.copy()
    found[:3, 3] = xyz
    if any(rpy):
        found[:3, :3] = rotation_from_rpy(*rpy)
    if "quat_xyzw" in origin.attributes:  # URDF 1.1
        x, y, z, w = numbers(origin, "quat_xyzw", 4)
        if "rpy" in origin.attributes:
            raise origin.error("the <origin> has both rpy and quat_xyzw", "keep one of them", "quat_xyzw")
        if not any((x, y, z, w)):
            raise origin.error("quat_xyzw of length zero is no rotation", "for no rotation give 0 0 0 1", "quat_xyzw")
        found[:3, :3] = rotation_from_quaternion((w, x, y, z))
    return found
