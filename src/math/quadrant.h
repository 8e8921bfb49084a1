// quadrant.h - an angle as a number of quarter turns and a remainder.
#pragma once

#include "math/double_double.h"

// x = quarters pi/2 + rest, with |rest| at most pi/4 but for rounding.
typedef struct CnQuadrant {
    int quarters; // modulo 4
    CnDoubleDouble rest;
} CnQuadrant;

// x finite. The remainder has a relative error below 2^-68, even next to multiples of pi/2.
CnQuadrant cn_quadrant_of(double x);
