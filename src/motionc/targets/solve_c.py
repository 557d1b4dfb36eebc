"""What kernels in C share: LDLᵀ and its substitutions, on rows S to E of M, and the name of a kernel's function."""

import re
import zlib

from motionc.program.kernels import Call

FACTOR = """\
    for (int j = S; j < E; ++j) {{
        number pivot = {matrix}[j * M + j];
        for (int k = S; k < j; ++k) pivot -= {lower}[j * M + k] * scaled[j * M + k];
        {limit}
        for (int i = j + 1; i < E; ++i) {{
            number rest = {matrix}[j * M + i];
            for (int k = S; k < j; ++k) rest -= scaled[i * M + k] * {lower}[j * M + k];
            scaled[i * M + j] = rest;
            {lower}[i * M + j] = rest * {inverse}[j];
        }}
    }}
"""

SUBSTITUTE = """\
    for (int i = S; i < E; ++i)
        for (int k = S; k < i; ++k) {x}[i] -= {lower}[i * M + k] * {x}[k];
    for (int i = E - 1; i >= S; --i) {{
        {x}[i] *= {inverse}[i];
        for (int k = i + 1; k < E; ++k) {x}[i] -= {lower}[k * M + i] * {x}[k];
    }}
"""


def kernel_name(call: Call) -> str:
    """What the function is called: by its rows, and by what counts as dependent where that is not the usual, how many
    rows count at most where not all can, and a digest of their weights where there are any.

    Along a tree: by its rows and columns, and by a digest of how the rows hang together.
    """
    if call.pattern:
        shape = f"{call.size}_{call.columns}_{zlib.crc32(repr(call.pattern).encode()):08x}"
        return f"{call.kernel}_{shape}"
    own = "" if call.tolerance is None else "_" + re.sub(r"\W", "_", repr(call.tolerance))
    own += "" if call.most is None else f"_most_{call.most}"
    own += f"_{zlib.crc32(repr(call.weights).encode()):08x}" if call.weights else ""
    return "_".join([call.kernel, *map(str, call.blocks)]) + own
