"""How objects show themselves in a notebook: short text, tables of HTML. Names come from strangers' files: every cell
is escaped.
"""

from collections.abc import Iterable, Sequence

ROWS = 100
"""Rows of a table that are shown; a file may have 100,000 joints, and nobody reads them."""
LONGEST = 60
"""Letters of a name that are shown."""


def short(text: object, most: int = LONGEST) -> str:
    """Text on one line, of at most so many letters, with nothing in it that a terminal obeys.

    >>> short("a" * 9, 5), short("b" + chr(27))
    ('aaaa…', 'b?')
    """
    said = "".join(letter if letter.isprintable() else "?" for letter in str(text)[: most + 1])
    return said if len(said) <= most else said[: most - 1] + "…"


def few(names: Iterable[object], most: int = 4) -> str:
    """The first names of a list."""
    listed = list(names)
    return ", ".join(short(name, 24) for name in listed[:most]) + ", …" * (len(listed) > most)


def html_table(title: str, head: Sequence[str], rows: Iterable[Sequence[object]], *, below: str = "") -> str:
    """A table with a bold title; what is more than a screen or two is counted, not shown.

    >>> html_table("<arm>", ["joint"], [["a&b"]])
    '<div><b>&lt;arm&gt;</b><table><thead><tr><th>joint</th></tr></thead><tbody><tr><td>a&amp;b</td></tr></tbody></table></div>'
    """
    from html import escape  # slow to import, and seldom needed

    listed = list(rows)
    body = "".join(f"<tr>{''.join(f'<td>{escape(str(cell))}</td>' for cell in row)}</tr>" for row in listed[:ROWS])
    heads = "".join(f"<th>{escape(one)}</th>" for one in head)
    table = f"<table><thead><tr>{heads}</tr></thead><tbody>{body}</tbody></table>" if listed else ""
    more = f"… and {len(listed) - ROWS} more" if len(listed) > ROWS else ""
    last = "".join(f"<div>{escape(line)}</div>" for line in (more, below) if line)
    return f"<div><b>{escape(title)}</b>{table}{last}</div>"
