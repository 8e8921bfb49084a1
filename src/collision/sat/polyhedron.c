// polyhedron.c - boxes and convex hulls as all their pairs need them.
#include "collision/sat/polyhedron.h"

#include "collision/convex/pair_order.h"

static void put_row(CnVec3 v, double behind, double row[4]) {
    row[0] = v.x;
    row[1] = v.y;
    row[2] = v.z;
    row[3] = behind;
}

void cn_polyhedron_place(const CnPlacedShape* shape, CnPlacedPolyhedron* placed) {
    bool is_box = shape->shape->type == CN_SHAPE_BOX;
    CnMat3 turn = cn_mat3_from_quat(shape->pose.rotation);
    CnVec3 behind =
        is_box ? shape->shape->half_size : cn_quat_rotate(shape->pose.rotation, cn_pair_weights());
    put_row(shape->pose.position, shape->shape->extent, placed->center);
    put_row(cn_vec3(turn.m[0][0], turn.m[1][0], turn.m[2][0]), behind.x, placed->axes[0]);
    put_row(cn_vec3(turn.m[0][1], turn.m[1][1], turn.m[2][1]), behind.y, placed->axes[1]);
    put_row(cn_vec3(turn.m[0][2], turn.m[1][2], turn.m[2][2]), behind.z, placed->axes[2]);
    placed->shape = shape->shape;
    placed->from = shape;
}
