// segment_box.h - the nearest points of a box and a segment, in closed form.
#pragma once

#include "collision/round/closest.h"

// The box is centred at the origin with its axes along x, y, z. The normal points from the box to
// the segment and is as accurate as the difference of the nearest points; it is 0, and so is the
// distance, if the two meet.
CnNearest cn_segment_box_nearest(CnVec3 half_size, CnSegment segment);
