// distance.h - the signed distance of two shapes.
#pragma once

#include "collision/convex/gjk.h"

// Of the cores, in A's frame; the distance is negative if they overlap, the points are then the
// ends of the shortest way out.
CnNearest cn_core_distance(const CnCorePair* pair);

// Of the shapes, radii and all; negative when they overlap: minus the length of the shortest way
// out [m]. The points are on the surfaces, in the world. Two shapes that
// never meet (planes and surfaces among each other) are infinitely apart: their points are their
// positions. Of a surface it is the distance of the nearest triangle; it has no inside: what lies
// wholly behind its triangles is as far from them as what lies before.
CnNearest cn_nearest(CnPlacedShape a, CnPlacedShape b);

// For cn_nearest: A is a surface, B has a core.
CnNearest cn_nearest_of_surface(CnPlacedShape surface, CnPlacedShape convex);
