"""What is a legal name? A word that every language takes as it is; targets/naming.py makes words of other texts."""

import hashlib
import re

LONGEST = 63
"""Letters that C tells names apart by."""


def is_word(text: str, longest: int = 0) -> bool:
    """Whether it is letters, digits and underscores, a letter first; and no longer than this, where it is said.

    >>> is_word("lwr4"), is_word("4lwr"), is_word("a/b"), is_word("ä")
    (True, False, False, False)
    """
    return re.fullmatch(r"[A-Za-z][A-Za-z0-9_]*", text) is not None and (not longest or len(text) <= longest)


def function_word(robot: str, computation: str) -> str:
    """What emitted functions are called: `<robot>_<computation>`, or the latter alone where it is about nobody."""
    return f"{robot_word(robot)}_{computation}" if robot else computation


def whose(robot: str) -> str:
    """` of <robot>`, or nothing where it is about nobody.

    >>> whose("lwr4"), whose("")
    (' of lwr4', '')
    """
    return f" of {robot}" if robot else ""


def robot_word(name: str) -> str:
    """A robot's name, with a digest behind it where it is no word of letters, digits and underscores.

    Once it is made one, another robot's name might look the same.

    >>> robot_word("lwr4"), robot_word("a/b")
    ('lwr4', 'a/b_c14cdd')
    """
    if is_word(name):
        return name
    return f"{name}_{hashlib.sha256(name.encode(errors='replace')).hexdigest()[:6]}"
