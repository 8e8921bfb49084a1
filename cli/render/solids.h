// solids.h - the surfaces of shapes as triangles with normals, and the edges worth a line.
#pragma once

#include "cairn/recording.h"
#include "render/raster.h"

// A surface in the frame of a shape.
typedef struct Solid {
    Corner* corners; // three to a triangle   [3 triangle_count]
    int triangle_count;
    CnVec3 (*edges)[2]; // [edge_count]
    int edge_count;
    bool is_full; // no memory for more
} Solid;

// Planes have none: an empty solid. mesh is NULL for shapes that have none.
Solid solid_of_shape(const CnRecordedShape* shape, const CnRecordedMesh* mesh);
void solid_free(Solid* solid);

// An arrow from a place along a vector, in the world.
Solid solid_arrow(CnVec3 from, CnVec3 vector, double width);
