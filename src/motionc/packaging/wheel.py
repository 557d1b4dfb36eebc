"""A wheel by hand: a zip of files with a record of them, the same bytes for the same files.

https://packaging.python.org/en/latest/specifications/binary-distribution-format/
"""

import base64
import hashlib
import re
import sysconfig
import zipfile
from collections.abc import Mapping
from io import BytesIO
from pathlib import Path

from motionc.writing import write_file

PYTHON = ">=3.11"
MIDNIGHT = (1980, 1, 1, 0, 0, 0)
"""The first moment a zip knows."""


def write_wheel(
    folder: Path, name: str, version: str, files: Mapping[str, bytes], *, summary: str, readme: str, native: bool
) -> Path:
    """Put files into a wheel of this name in a folder; `native` says that some of them run on this platform alone."""
    tag = f"py3-none-{_platform()}" if native else "py3-none-any"
    info = f"{name}-{version}.dist-info"
    metadata = [
        "Metadata-Version: 2.1",
        f"Name: {name.replace('_', '-')}",
        f"Version: {version}",
        f"Summary: {' '.join(summary.split())}",
        f"Requires-Python: {PYTHON}",
        "Requires-Dist: numpy>=2.0",
        "Description-Content-Type: text/markdown",
        "",
        readme,
    ]
    wheel = [
        "Wheel-Version: 1.0",
        "Generator: motionc",
        f"Root-Is-Purelib: {str(not native).lower()}",
        f"Tag: {tag}",
        "",
    ]
    inside = dict(sorted(files.items()))
    inside[f"{info}/METADATA"] = "\n".join(metadata).encode()
    inside[f"{info}/WHEEL"] = "\n".join(wheel).encode()
    record = [f"{path},sha256={_digest(data)},{len(data)}" for path, data in inside.items()]
    inside[f"{info}/RECORD"] = "\n".join([*record, f"{info}/RECORD,,", ""]).encode()
    content = BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as archive:
        for file, data in inside.items():
            entry = zipfile.ZipInfo(file, MIDNIGHT)
            entry.compress_type, entry.external_attr, entry.create_system = zipfile.ZIP_DEFLATED, 0o644 << 16, 3
            archive.writestr(entry, data)
    return write_file(folder / f"{name}-{version}-{tag}.whl", content.getvalue())


def _platform() -> str:
    return re.sub(r"[^0-9A-Za-z]", "_", sysconfig.get_platform())


def _digest(data: bytes) -> str:
    return base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
