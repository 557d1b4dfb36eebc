"""A report as one page of HTML: headings, tables, plots, pictures. All words are escaped, nothing is fetched."""

import base64
from collections.abc import Iterable, Sequence
from html import escape

from motionc.model.quotes import visible

POLICY = "default-src 'unsafe-inline' 'unsafe-eval' data: blob:; base-uri 'none'; form-action 'none'"
"""What a browser may load for it: what is in the file."""

STYLE = """
:root { color-scheme: light; --ink: #1c2733; --grey: #5c6975; --line: #e3e8ec; --good: #2e7d4f; --bad: #b3261e; }
* { box-sizing: border-box; }
body { margin: 0; background: #fff; color: var(--ink); font: 15px/1.5 system-ui, -apple-system, "Segoe UI", Roboto,
  "Helvetica Neue", "DejaVu Sans", sans-serif; }
main { max-width: 980px; margin: 0 auto; padding: 48px 24px 72px; }
header { border-bottom: 2px solid var(--ink); padding-bottom: 14px; }
h1 { font-size: 30px; line-height: 1.2; margin: 0 0 6px; letter-spacing: -0.01em; overflow-wrap: anywhere; }
h2 { font-size: 18px; margin: 40px 0 10px; }
p { margin: 6px 0; } .lead, .note { color: var(--grey); } .note { font-size: 13px; }
table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; font-size: 14px; }
th, td { text-align: left; vertical-align: top; padding: 6px 14px 6px 0; border-bottom: 1px solid var(--line);
  overflow-wrap: anywhere; }
thead th { font-weight: 600; font-size: 12.5px; color: var(--grey); border-bottom-color: #b9c3cb; }
tbody th { font-weight: 400; color: var(--grey); width: 25%; }
td.number, th.number { text-align: right; white-space: nowrap; }
td.unit { color: var(--grey); padding-left: 0; white-space: nowrap; }
.verdict { font-weight: 600; white-space: nowrap; } .passed { color: var(--good); } .failed { color: var(--bad); }
.badge { display: inline-block; padding: 1px 10px; border-radius: 999px; border: 1px solid currentColor;
  font-size: 13px; }
pre { margin: 0; font: inherit; white-space: pre-wrap; }
figure { margin: 0 0 8px; } figure svg, figure img { width: 100%; height: auto; display: block; }
iframe { width: 100%; height: 560px; border: 1px solid var(--line); border-radius: 6px; background: #fff; }
@media print { main { padding: 0; max-width: none; } section { break-inside: avoid; } iframe { display: none; } }
"""

Row = Sequence[str]


def words(text: object) -> str:
    """Text as a page shows it, whatever is in it."""
    return escape(visible(str(text)), quote=True)


def page(title: str, lead: str, parts: Iterable[str]) -> str:
    """The whole file; `lead` and `parts` are HTML already."""
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{words(title)}</title>\n<style>{STYLE}</style>\n</head>\n<body>\n<main>\n"
        f"<header>\n<h1>{words(title)}</h1>\n{lead}\n</header>\n" + "\n".join(parts) + "\n</main>\n</body>\n</html>\n"
    )


def section(title: str, body: str, note: str = "") -> str:
    """A heading, what is below it, and a sentence."""
    said = f'\n<p class="note">{words(note)}</p>' if note else ""
    return f"<section>\n<h2>{words(title)}</h2>\n{body}{said}\n</section>"


def pairs(rows: Iterable[tuple[str, str]]) -> str:
    """A table of names and what they are; what has several lines, such as a task, keeps them."""
    body = "".join(f"<tr><th scope='row'>{words(name)}</th><td>{_lines(value)}</td></tr>\n" for name, value in rows)
    return f"<table><tbody>\n{body}</tbody></table>"


def _lines(text: str) -> str:
    several = text.rstrip("\n").split("\n")
    kept = "\n".join(map(words, several))
    return f"<pre>{kept}</pre>" if len(several) > 1 else kept


def table(head: Row, rows: Iterable[Row], numbers: Sequence[int] = ()) -> str:
    """A table; columns that are numbers stand to the right. Cells are text."""
    marked = [' class="number"' if k in numbers else "" for k in range(len(head))]
    heads = "".join(f"<th{kind}>{words(one)}</th>" for one, kind in zip(head, marked, strict=True))
    body = "".join(
        f"<tr>{''.join(f'<td{kind}>{words(one)}</td>' for one, kind in zip(row, marked, strict=True))}</tr>\n"
        for row in rows
    )
    named = f"<thead><tr>{heads}</tr></thead>" if any(head) else ""
    return f"<table>{named}<tbody>\n{body}</tbody></table>"


def verdict(passed: bool, badge: str = "") -> str:
    """Passed or failed, in words and colour; in a frame with words of its own."""
    kind = "passed" if passed else "failed"
    said = words(badge) if badge else f"{'✓' if passed else '✗'} {kind}"
    return f'<span class="verdict {kind}{" badge" if badge else ""}">{said}</span>'


def checks(rows: Iterable[tuple[str, str, str, bool, str]]) -> str:
    """A table of checks: name, value, limit, whether it passed, what else."""
    body = "".join(
        f'<tr><td>{words(name)}</td><td class="number">{words(value)}</td><td class="number">{words(limit)}</td>'
        f"<td>{verdict(passed)}</td><td>{words(beside)}</td></tr>\n"
        for name, value, limit, passed, beside in rows
    )
    heads = '<th>check</th><th class="number">value</th><th class="number">limit</th><th>verdict</th><th></th>'
    return f"<table><thead><tr>{heads}</tr></thead><tbody>\n{body}</tbody></table>"


def drawing(svg: bytes) -> str:
    """A plot in the page: its text can be found and copied."""
    text = svg.decode()
    return f"<figure>\n{text[text.index('<svg') :].strip()}\n</figure>"


def picture(png: bytes, about: str) -> str:
    """A picture in the page."""
    data = base64.b64encode(png).decode()
    return f'<figure><img alt="{words(about)}" src="data:image/png;base64,{data}"></figure>'


def framed(html: str, about: str) -> str:
    """A page in the page."""
    return f'<iframe title="{words(about)}" srcdoc="{escape(html, quote=True)}"></iframe>'
