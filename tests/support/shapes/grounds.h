// grounds.h - ground in every form: flat or shaped, as a plane, a mesh or a height field.
#pragma once

#include "cairn/cairn.h"

typedef struct Ground {
    CnShapeDef def;
    CnVec3* points;
    int (*triangles)[3];
    double* heights;
} Ground;

// The height of the ground at x, y [m].
typedef double GroundHeight(double x, double y);

// A square of cells x cells about the origin, size [m] wide. NULL: flat, at height 0. The points of
// a mesh are moved about inside their cells and the diagonals run either way, but all lie on the
// ground; those of a flat one are at z = 0 to the last bit. ground_free() gives it back.
Ground ground_mesh(int cells, double size, GroundHeight* height);
Ground ground_field(int cells, double size, GroundHeight* height);
Ground ground_plane(void);
void ground_free(Ground* ground);
