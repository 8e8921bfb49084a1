// distance.h - the signed distance of two shapes.
#pragma once

#include "collision/convex/gjk.h"

// Of the cores, in A's frame. If they overlap, the distance is negative and the points are the ends
// of the shortest way out.
CnNearest cn_core_distance(const CnCorePair* pair);

// The same of a box A and a ball or capsule B, whose core is well apart from it; false: it is not,
// or they are others.
bool cn_core_segment_is_apart(const CnCorePair* pair, CnNearest* nearest);

// Of the shapes including their radii. If they overlap, it is minus the length of the shortest way
// out [m]. The points are on the surfaces, in world coordinates. Two shapes that never meet (two
// planes or surfaces) are infinitely far apart, and their points are their positions. For a surface
// it is the distance to the nearest triangle; a surface has no inside, so a shape behind its
// triangles is at the same distance as one in front.
CnNearest cn_nearest(CnPlacedShape a, CnPlacedShape b);

// The function of cn_nearest for a surface A and a shape B with a core.
CnNearest cn_nearest_of_surface(CnPlacedShape surface, CnPlacedShape convex);
