// frame.c - a frame of axes around a given normal.
#include "cairn/math.h"

// Duff, Burgess, Christensen, Hery, Kensler, Liani, Villemin, "Building an orthonormal basis,
// revisited", 2017. The two signs reflect one formula, which is singular at z = -1, onto the other
// half of the sphere. Both zeros count as positive: equal normals have equal frames.
void cn_tangent_basis(CnVec3 n, CnVec3* t1, CnVec3* t2) {
    double sign = n.z >= 0.0 ? 1.0 : -1.0;
    double a = -1.0 / (sign + n.z);
    double b = n.x * n.y * a;
    *t1 = cn_vec3(1.0 + sign * n.x * n.x * a, sign * b, -sign * n.x);
    *t2 = cn_vec3(b, sign + n.y * n.y * a, -n.y);
}
