// trig_constants.h - irrational numbers cut into doubles; made by tools/make_trig_constants.py.
#pragma once

#include "math/double_double.h"

#include <stdint.h>

// pi/2 = 33 + 33 + 33 bits + a rounded rest: n times each of the first three is exact for n < 2^20.
static const double half_pi_parts[4] = {
    0x1.921fb54400000p+0,
    0x1.0b4611a600000p-34,
    0x1.3198a2e000000p-69,
    0x1.b839a252049c1p-104,
};

static const CnDoubleDouble pi_double_double = {0x1.921fb54442d18p+1, 0x1.1a62633145c07p-53};
static const CnDoubleDouble half_pi_double_double = {0x1.921fb54442d18p+0, 0x1.1a62633145c07p-54};
#define TWO_OVER_PI 0x1.45f306dc9c883p-1

// ln 2 = 42 bits + a rounded rest: n times the first is exact for n < 2^11.
static const CnDoubleDouble log_two = {0x1.62e42fefa3800p-1, 0x1.ef35793c76730p-45};
#define ONE_OVER_LOG_TWO 0x1.71547652b82fep+0

// The first 1216 bits of 2/pi after two words of zeroes, most significant first.
static const uint32_t two_over_pi_words[40] = {
    0x00000000, 0x00000000, 0xa2f9836e, 0x4e441529, 0xfc2757d1, 0xf534ddc0, 0xdb629599, 0x3c439041,
    0xfe5163ab, 0xdebbc561, 0xb7246e3a, 0x424dd2e0, 0x06492eea, 0x09d1921c, 0xfe1deb1c, 0xb129a73e,
    0xe88235f5, 0x2ebb4484, 0xe99c7026, 0xb45f7e41, 0x3991d639, 0x835339f4, 0x9c845f8b, 0xbdf9283b,
    0x1ff897ff, 0xde05980f, 0xef2f118b, 0x5a0a6d1f, 0x6d367ecf, 0x27cb09b7, 0x4f463f66, 0x9e5fea2d,
    0x7527bac7, 0xebe5f17b, 0x3d0739f7, 0x8a5292ea, 0x6bfb5fb1, 0x1f8d5d08, 0x56033046, 0xfc7b6bab,
};

// atan(i / 8)
static const CnDoubleDouble arctangent_of_eighths[9] = {
    {0x0.0p+0, 0x0.0p+0},
    {0x1.fd5ba9aac2f6ep-4, -0x1.cd37686760c17p-59},
    {0x1.f5b75f92c80ddp-3, 0x1.8ab6e3cf7afbdp-57},
    {0x1.6f61941e4def1p-2, -0x1.c63aae6f6e918p-56},
    {0x1.dac670561bb4fp-2, 0x1.a2b7f222f65e2p-56},
    {0x1.1e00babdefeb4p-1, -0x1.928df287a668fp-58},
    {0x1.4978fa3269ee1p-1, 0x1.2419a87f2a458p-56},
    {0x1.700a7c5784634p-1, -0x1.8c34d25aadef6p-56},
    {0x1.921fb54442d18p-1, 0x1.1a62633145c07p-55},
};
