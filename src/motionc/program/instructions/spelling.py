"""What is an instruction called in each language? An expression in all seven, and spellings that several share."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Spelling:
    """An instruction on {0}, {1}, {2} in every language, as an expression.

    C and CUDA have {real}, the type of a number, and {f}, what their library's names end in for it. Words that lanes.h,
    device.cuh, words.m and kernels/shared.mac (targets/) define may be used. C++ has the spelling of C.
    """

    c: str
    lanes: str
    cuda: str
    matlab: str
    maxima: str
    python: str
    """Python on floats; `math` has every instruction by its own name, and `float` makes what numbers are there."""
    numpy: str


# ---------------------------------------------------------------- those that several share


def infix(sign: str, matlab: str = "") -> Spelling:
    text, of_arrays = (f"{{0}} {each} {{1}}" for each in (sign, matlab or sign))
    return Spelling(text, text, text, of_arrays, text, text, text)


def comparison(name: str, sign: str, matlab: str = "", maxima: str = "") -> Spelling:
    test = f"{{0}} {sign} {{1}}"
    return Spelling(
        c=f"({{real}})({test})",
        lanes=f"{name}({{0}}, {{1}})",
        cuda=f"{name}({{0}}, {{1}})",
        matlab=f"double({{0}} {matlab or sign} {{1}})",
        maxima=f"if {maxima or test} then 1.0 else 0.0",
        python=f"float({test})",
        numpy=f"np.where({test}, 1.0, 0.0)",
    )


def function(name: str, arguments: str = "({0})", *, matlab: str = "", maxima: str = "", numpy: str = "") -> Spelling:
    """What every library has."""
    return Spelling(
        c=f"{name}{{f}}{arguments}",
        lanes=f"{name}_lanes{arguments}",
        cuda=f"{name}{{f}}{arguments}",
        matlab=f"{matlab or name}{arguments}",
        maxima=maxima or f"{name}{arguments}",
        python=f"math.{name}{arguments}",
        numpy=f"np.{numpy or name}{arguments}",
    )


def turned(name: str) -> Spelling:
    """Lanes and GPUs compute sine and cosine together: a statement that says where both go."""
    both, one = "turn({0}, &{sine}, &{cosine});", f"{name}({{0}})"
    return Spelling(f"{name}{{f}}({{0}})", both, both, one, one, f"math.{one}", f"np.{one}")


def extreme(name: str, word: str) -> Spelling:
    pair = f"{name}({{0}}, {{1}})"
    return Spelling(
        c=f"f{name}{{f}}({{0}}, {{1}})",
        lanes=f"{word}({{0}}, {{1}})",
        cuda=f"{word}({{0}}, {{1}})",
        matlab=pair,
        maxima=pair,
        python=f"math.{pair}",
        numpy=f"np.f{pair}",
    )
