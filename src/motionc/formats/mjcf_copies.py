"""How many parts does an MJCF element make? No more than one can wait for."""

from motionc.formats.xml_tree import Element, quoted

LARGEST_PARAMETER = 1000  # of a mesh made from a formula


def copies_of(part: Element) -> int:
    """How many copies a <replicate> makes."""
    said = part.attributes.get("count", "1")
    if part.tag != "replicate":
        return 1
    if not (said.isascii() and said.isdecimal() and len(said) < 9 and int(said) > 0):
        raise part.error(f"count = {quoted(said)} is no number of copies", "give a whole number from 1")
    return int(said)


def check_parameters(asset: Element) -> None:
    """A mesh made from a formula has no more points than one can wait for."""
    for word in asset.attributes.get("params", "").split():
        digits = word.lstrip("+-").split(".")[0]
        if len(digits) > 3 or "e" in word.lower():
            message = f"params = {quoted(asset.attributes['params'])}: {quoted(word)} is too large"
            raise asset.error(message, f"give numbers below {LARGEST_PARAMETER}")
