"""What is a legal name? A word that every language takes as it is; targets/naming.py makes words of other texts."""

import re

LONGEST = 63
"""Letters that C tells names apart by."""


def is_word(text: str, longest: int = 0) -> bool:
    """Whether it is letters, digits and underscores, a letter first; and no longer than this, where it is said.

    >>> is_word("lwr4"), is_word("4lwr"), is_word("a/b"), is_word("ä")
    (True, False, False, False)
    """
    return re.fullmatch(r"[A-Za-z][A-Za-z0-9_]*", text) is not None and (not longest or len(text) <= longest)
