// collide_convex.h - what cn_collide_convex() and closed forms of the same points agree on.
#pragma once

// A flat part is in flat contact if its normal equals that of the contact up to this difference of
// the cosine from 1 (a microradian). cn_core_distance prefers such normals.
#define CN_FLATLY 1e-12

// A flat part that leans from the normal of the contact by less than this cosine says, 0.1 rad, may
// have further points near the other shape.
#define CN_LEANING 0.995

// Lines whose angle has a sine below this share a stretch: a point of one is then off the other by
// less than 1e-3 of the stretch, and the gap is off by less than 1e-6 of it.
#define CN_ALONG 1e-3

// Corners this close to a side, relative to the size, count as on it.
#define CN_ON_SIDE 1e-9

// A stretch shorter than this fraction of the size counts as one point: a few times the tolerance
// of lines along sides.
#define CN_ONE_END 1e-8

// If the patch misses the nearest points by more than this fraction of the size, they are added.
#define CN_MISSED 1e-9

#define CN_NEAREST_FEATURE UINT32_MAX
