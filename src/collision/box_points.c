// box_points.c - contact points of two boxes that are rare, one pair at a time.
#include "collision/box_points.h"

#include "collision/collide_pairs.h"
#include "collision/manifold.h"

// The reference face in the world.
typedef struct Reference {
    bool of_second;
    int face;         // as in cn_box_hull
    CnVec3 u, v, out; // its axes
    CnVec3 middle;    // [m]
    const CnPlacedBox* other;
} Reference;

static Reference reference_of(const CnBoxBlock* found, int i) {
    int owner = (int)found->owner[i], axis = (int)found->axis[i];
    const CnPlacedBox* box = found->boxes[owner][i];
    CnVec3 out = cn_vec3_scale(found->outward[i], cn_box_axis(box, axis));
    return (Reference){
        .of_second = owner != (int)found->first[i],
        .face = 2 * axis + (found->outward[i] > 0.0),
        .u = cn_box_axis(box, (axis + 1) % 3),
        .v = cn_box_axis(box, (axis + 2) % 3),
        .out = out,
        .middle = cn_vec3_add_scaled(cn_box_center(box), box->axes[axis][3], out),
        .other = found->boxes[1 - owner][i],
    };
}

static CnVec3 apply_axes(const CnPlacedBox* box, CnVec3 local) {
    CnVec3 sum = cn_vec3_scale(local.x, cn_box_axis(box, 0));
    sum = cn_vec3_add_scaled(sum, local.y, cn_box_axis(box, 1));
    return cn_vec3_add_scaled(sum, local.z, cn_box_axis(box, 2));
}

static CnManifoldPoint crossing(const CnBoxBlock* found, int i) {
    const CnPlacedBox* first = cn_box_first(found, i);
    CnVec3 local = cn_vec3(found->point[0][i], found->point[1][i], found->point[2][i]);
    return (CnManifoldPoint){
        .point = cn_vec3_add(cn_box_center(first), apply_axes(first, local)),
        .gap = found->least_gap[i],
        .feature = (uint32_t)found->key[i],
    };
}

// The vertex of the other box that is lowest over the reference face, or deepest under it.
static CnManifoldPoint lowest_vertex(const Reference* reference) {
    const CnPlacedBox* other = reference->other;
    double at[3];
    int number = 0;
    for (int k = 0; k < 3; ++k) {
        double up = cn_vec3_dot(cn_box_axis(other, k), reference->out);
        at[k] = -copysign(other->axes[k][3], up);
        number += at[k] > 0.0 ? 1 << k : 0;
    }
    CnVec3 local = apply_axes(other, cn_vec3(at[0], at[1], at[2]));
    CnVec3 vertex = cn_vec3_add(cn_box_center(other), local);
    double height = cn_vec3_dot(reference->out, cn_vec3_sub(vertex, reference->middle));
    return (CnManifoldPoint){
        .point = cn_vec3_add_scaled(vertex, -0.5 * height, reference->out),
        .gap = height,
        .feature = reference->of_second ? cn_meeting_key(CN_VERTEX_OF_A, number, reference->face)
                                        : cn_meeting_key(CN_VERTEX_OF_B, reference->face, number),
    };
}

// docs/theory/sat.md, "The deepest point": where no corner over the face has the gap that the axis
// promises, the crossing of the edges has it, or the lowest vertex, unless the boxes are disjoint.
void cn_box_add_deepest(CnBoxBlock* found, int i) {
    Reference reference = reference_of(found, i);
    bool crossed = found->crossed[i] != 0.0;
    if (!crossed && found->least_gap[i] > CN_NOTHING * found->size[i]) {
        found->meeting[i] = CN_BOXES_DISJOINT;
        return;
    }
    CnManifoldPoint deepest = crossed ? crossing(found, i) : lowest_vertex(&reference);
    CnVec3 way = cn_vec3_sub(deepest.point, reference.middle);
    found->deepest[i] = deepest;
    found->u[CN_DEEPEST][i] = cn_vec3_dot(reference.u, way);
    found->v[CN_DEEPEST][i] = cn_vec3_dot(reference.v, way);
    found->gap[CN_DEEPEST][i] = deepest.gap;
    found->kept[i] += 1 << CN_DEEPEST;
}

void cn_box_copy_deepest(const CnBoxBlock* found, int i, CnManifoldPoint* point) {
    *point = found->deepest[i];
}

// As polyhedra of any kind.
void cn_box_points_of_disjoint(const CnBoxBlock* found, int i) {
    int first = (int)found->first[i];
    CnBoxContact* contact = found->contacts[i];
    contact->count = cn_collide_polyhedron_polyhedron(*found->boxes[first][i]->shape,
                                                      *found->boxes[1 - first][i]->shape,
                                                      found->margin[i], contact->points);
    for (int k = 0; first != 0 && k < contact->count; ++k) {
        contact->points[k].normal = cn_vec3_negate(contact->points[k].normal);
    }
}
