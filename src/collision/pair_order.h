// pair_order.h - which of two shapes a pair function is told first, whoever asks.
#pragma once

#include "geometry/shape.h"

// Whether B goes before A: two shapes of one type in an order that hangs on the shapes and on how
// they lie, not on who is called A. It does not change while they rest. docs/theory/sat.md (10).
bool cn_pair_is_reversed(CnPlacedShape a, CnPlacedShape b);
