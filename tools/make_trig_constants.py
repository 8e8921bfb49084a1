#!/usr/bin/env python3
"""Print src/math/trig_constants.h from integer arithmetic alone (docs/theory/trig.md, section 6).

    tools/make_trig_constants.py > src/math/trig_constants.h
    tools/make_trig_constants.py --check src/math/trig_constants.h
"""
import sys
from fractions import Fraction

BITS = 1600  # working precision: 2/pi is wanted to 1216 bits
ONE = 1 << BITS


def atan_series(x):
    """atan of a fraction with 0 < x <= 1/5, to BITS bits, as a fraction of ONE."""
    power = ONE * x.numerator // x.denominator
    total, sign, n = 0, 1, 1
    while power:
        total += sign * (power // n)
        power = power * x.numerator**2 // x.denominator**2
        sign, n = -sign, n + 2
    return Fraction(total, ONE)


def atan(x):
    """atan on [0, 1]: atan(x) = atan(1/5) + atan((x - 1/5) / (1 + x/5)) until the series serves."""
    step = Fraction(1, 5)
    total = Fraction(0)
    while x > step:
        total += atan_series(step)
        x = (x - step) / (1 + x * step)
    return total + (atan_series(x) if x else 0)


def log_two():
    """ln 2 = 2 artanh(1/3)."""
    power, total, n = 2 * ONE // 3, 0, 1
    while power:
        total += power // n
        power //= 9
        n += 2
    return Fraction(total, ONE)


def leading(value, bits):
    """value cut to its first bits (towards zero)."""
    exponent = 0
    while value * Fraction(2) ** exponent < 2 ** (bits - 1):
        exponent += 1
    return Fraction(int(value * Fraction(2) ** exponent), 2**exponent)


def parts(value, widths):
    """value as a sum: pieces of the given widths in bits, then the rest rounded to a double."""
    pieces = []
    for width in widths:
        piece = leading(value, width)
        pieces.append(piece)
        value -= piece
    return [float(piece) for piece in pieces] + [float(value)]


def double_double(value):
    high = float(value)
    return high, float(value - Fraction(high))


def c_pair(pair):
    return "{%s, %s}" % (pair[0].hex(), pair[1].hex())


def header():
    pi = 16 * atan_series(Fraction(1, 5)) - 4 * atan_series(Fraction(1, 239))  # Machin 1706
    words = (1 << (64 + 1216)) * pi.denominator * 2 // pi.numerator >> 64  # 2/pi * 2^1216
    words = [0, 0] + [words >> (1216 - 32 * (i + 1)) & 0xFFFFFFFF for i in range(38)]
    two_over_pi = "\n".join(
        "    " + " ".join("0x%08x," % word for word in words[i : i + 8])
        for i in range(0, len(words), 8))
    arctangents = "\n".join("    %s," % c_pair(double_double(atan(Fraction(i, 8)))) for i in range(9))
    half_pi = parts(pi / 2, [33, 33, 33])
    log2 = parts(log_two(), [42])
    return f"""// trig_constants.h - irrational numbers cut into doubles; made by tools/make_trig_constants.py.
#pragma once

#include "math/double_double.h"

#include <stdint.h>

// pi/2 = 33 + 33 + 33 bits + a rounded rest: n times each of the first three is exact for n < 2^20.
static const double half_pi_parts[4] = {{
    {half_pi[0].hex()},
    {half_pi[1].hex()},
    {half_pi[2].hex()},
    {half_pi[3].hex()},
}};

static const CnDoubleDouble pi_double_double = {c_pair(double_double(pi))};
static const CnDoubleDouble half_pi_double_double = {c_pair(double_double(pi / 2))};
#define TWO_OVER_PI {float(2 / pi).hex()}

// ln 2 = 42 bits + a rounded rest: n times the first is exact for n < 2^11.
static const CnDoubleDouble log_two = {c_pair(log2)};
#define ONE_OVER_LOG_TWO {float(1 / log_two()).hex()}

// The first 1216 bits of 2/pi after two words of zeroes, most significant first.
static const uint32_t two_over_pi_words[40] = {{
{two_over_pi}
}};

// atan(i / 8)
static const CnDoubleDouble arctangent_of_eighths[9] = {{
{arctangents}
}};
"""


if __name__ == "__main__":
    if len(sys.argv) == 3 and sys.argv[1] == "--check":
        with open(sys.argv[2], encoding="ascii") as file:
            same = file.read() == header()
        print("the constants are %s" % ("right" if same else "not what this program computes"))
        sys.exit(0 if same else 1)
    sys.stdout.write(header())
