// box_points.c - contact points of two boxes from what was found out about them in a block.
#include "collision/box_points.h"

#include "collision/collide_pairs.h"
#include "collision/manifold.h"
#include "collision/reduce.h"

typedef struct Meeting {
    const CnBoxBlock* found;
    int lane;
    const CnPlacedBox *first, *second;
    double sign; // of normals: from A to B, not from the first to the second
} Meeting;

// Edges

static CnVec3 edge_normal(const Meeting* meeting) {
    const double(*normal)[CN_BLOCK] = meeting->found->normal;
    int i = meeting->lane;
    CnVec3 local = cn_vec3(normal[0][i], normal[1][i], normal[2][i]);
    return cn_vec3_scale(meeting->sign, cn_mat3_apply(&meeting->first->axes, local));
}

static void write_crossing(const Meeting* meeting, CnManifoldPoint* point) {
    const double(*at)[CN_BLOCK] = meeting->found->point;
    const CnPlacedBox* first = meeting->first;
    int i = meeting->lane;
    CnVec3 local = cn_vec3(at[0][i], at[1][i], at[2][i]);
    point->point = cn_vec3_add(first->center, cn_mat3_apply(&first->axes, local));
    point->gap = meeting->found->least_gap[i];
    point->feature = (uint32_t)meeting->found->key[i];
}

static int points_on_edges(const Meeting* meeting, CnManifoldPoint* points) {
    write_crossing(meeting, points);
    points->normal = edge_normal(meeting);
    return 1;
}

// Corners near corners, and edges near faces: as polyhedra of any kind.
static int points_of_disjoint(const Meeting* meeting, CnManifoldPoint* points) {
    int count = cn_collide_polyhedron_polyhedron(meeting->first->placed, meeting->second->placed,
                                                 meeting->found->margin[meeting->lane], points);
    for (int k = 0; k < count; ++k) {
        points[k].normal = cn_vec3_scale(meeting->sign, points[k].normal);
    }
    return count;
}

// Faces

// The reference face in the world.
typedef struct Reference {
    bool of_second;
    int face;         // as in cn_box_hull
    CnVec3 u, v, out; // its axes
    CnVec3 middle;    // [m]
    const CnPlacedBox* other;
} Reference;

static Reference reference_of(const Meeting* meeting) {
    int number = (int)meeting->found->reference[meeting->lane];
    bool of_second = number >= 6;
    int face = of_second ? number - 6 : number, axis = face / 2;
    const CnPlacedBox* box = of_second ? meeting->second : meeting->first;
    const double half[3] = {box->half.x, box->half.y, box->half.z};
    CnVec3 out = cn_vec3_scale((face & 1) != 0 ? 1.0 : -1.0, cn_box_axis(box, axis));
    return (Reference){
        .of_second = of_second,
        .face = face,
        .u = cn_box_axis(box, (axis + 1) % 3),
        .v = cn_box_axis(box, (axis + 2) % 3),
        .out = out,
        .middle = cn_vec3_add_scaled(box->center, half[axis], out),
        .other = of_second ? meeting->first : meeting->second,
    };
}

// Points are midway between the reference face and the other box.
static void write_corner(const Meeting* meeting, const Reference* reference, int corner,
                         CnManifoldPoint* point) {
    const CnBoxBlock* found = meeting->found;
    int i = meeting->lane;
    double height = found->height[corner][i];
    CnVec3 at = cn_vec3_add_scaled(reference->middle, found->u[corner][i], reference->u);
    at = cn_vec3_add_scaled(at, found->v[corner][i], reference->v);
    point->point = cn_vec3_add_scaled(at, 0.5 * height, reference->out);
    point->gap = found->lean[i] * height;
    point->feature = (uint32_t)found->keys[corner][i];
}

// The vertex of the other box that is lowest over the reference face, or deepest under it.
static void write_lowest(const Reference* reference, CnManifoldPoint* point) {
    const CnPlacedBox* other = reference->other;
    CnVec3 up = cn_mat3_apply_transposed(&other->axes, reference->out);
    CnVec3 vertex = {-copysign(other->half.x, up.x), -copysign(other->half.y, up.y),
                     -copysign(other->half.z, up.z)};
    int number = (vertex.x > 0.0) + 2 * (vertex.y > 0.0) + 4 * (vertex.z > 0.0);
    CnVec3 lowest = cn_vec3_add(other->center, cn_mat3_apply(&other->axes, vertex));
    double height = cn_vec3_dot(reference->out, cn_vec3_sub(lowest, reference->middle));
    point->point = cn_vec3_add_scaled(lowest, -0.5 * height, reference->out);
    point->gap = height;
    point->feature = reference->of_second ? cn_meeting_key(CN_VERTEX_OF_A, number, reference->face)
                                          : cn_meeting_key(CN_VERTEX_OF_B, reference->face, number);
}

// Candidates for contact points: corners over the face and, last, maybe one of its own.
typedef struct Choice {
    int corners[CN_BOX_CORNERS]; // CnBoxCorner of each
    int corner_count, count;
    CnManifoldPoint deepest; // the one after the corners, if any
} Choice;

// docs/theory/sat.md (5). Returns the least gap.
static double find_corners(const Meeting* meeting, Choice* choice) {
    const CnBoxBlock* found = meeting->found;
    int i = meeting->lane, count = 0;
    double least = HUGE_VAL, lean = found->lean[i], margin = found->margin[i];
    for (unsigned left = (unsigned)found->corners[i]; left != 0; left &= left - 1) {
        int corner = __builtin_ctz(left);
        double gap = lean * found->height[corner][i];
        choice->corners[count] = corner;
        least = gap < least ? gap : least;
        count += gap <= margin;
    }
    choice->corner_count = choice->count = count;
    return least;
}

// Of more than four the four that matter, one bit each. The contact is seen along the normal of the
// face: where its own leans from that, by 0.1 rad at most, areas are off by less than 1 %.
static uint64_t choose(const Meeting* meeting, const Reference* reference, double size,
                       const Choice* choice) {
    const CnBoxBlock* found = meeting->found;
    CnFlatPoints flat;
    flat.count = choice->count;
    flat.size = size;
    for (int k = 0; k < choice->corner_count; ++k) {
        int i = meeting->lane, corner = choice->corners[k];
        flat.x[k] = found->u[corner][i];
        flat.y[k] = found->v[corner][i];
        flat.gap[k] = found->lean[i] * found->height[corner][i];
    }
    if (choice->count > choice->corner_count) {
        int last = choice->corner_count;
        CnVec3 way = cn_vec3_sub(choice->deepest.point, reference->middle);
        flat.x[last] = cn_vec3_dot(reference->u, way);
        flat.y[last] = cn_vec3_dot(reference->v, way);
        flat.gap[last] = choice->deepest.gap;
    }
    return cn_choose_four(&flat);
}

static int write_chosen(const Meeting* meeting, const Reference* reference, const Choice* choice,
                        uint64_t chosen, CnManifoldPoint* points) {
    bool crossed = meeting->found->crossed[meeting->lane] != 0.0;
    double sign = reference->of_second ? -meeting->sign : meeting->sign;
    CnVec3 normal = crossed ? edge_normal(meeting) : cn_vec3_scale(sign, reference->out);
    int count = 0;
    for (; chosen != 0; chosen &= chosen - 1) {
        int k = __builtin_ctzll(chosen);
        if (k < choice->corner_count) {
            write_corner(meeting, reference, choice->corners[k], &points[count]);
        } else {
            points[count] = choice->deepest;
        }
        points[count++].normal = normal;
    }
    return count;
}

// docs/theory/sat.md, "The deepest point": where no corner over the face has the gap that the axis
// promises, the crossing of the edges has it, or the lowest vertex, unless the boxes are disjoint.
static int points_on_faces(const Meeting* meeting, CnManifoldPoint* points) {
    const CnBoxBlock* found = meeting->found;
    int i = meeting->lane;
    bool crossed = found->crossed[i] != 0.0;
    double size_a = meeting->first->size, size_b = meeting->second->size;
    double size = size_a < size_b ? size_a : size_b;
    Choice choice;
    Reference reference = reference_of(meeting);
    if (!(find_corners(meeting, &choice) <= found->least_gap[i] + CN_EXACT * size)) {
        if (crossed) {
            write_crossing(meeting, &choice.deepest);
        } else if (found->least_gap[i] <= 0.0) {
            write_lowest(&reference, &choice.deepest);
        } else {
            return points_of_disjoint(meeting, points);
        }
        ++choice.count;
    }
    uint64_t chosen = choice.count > CN_MANIFOLD_POINTS ? choose(meeting, &reference, size, &choice)
                                                        : (UINT64_C(1) << choice.count) - 1;
    return write_chosen(meeting, &reference, &choice, chosen, points);
}

typedef int PointsFunction(const Meeting* meeting, CnManifoldPoint* points);
static PointsFunction* const points_table[] = {
    [CN_BOXES_ON_FACES] = points_on_faces,
    [CN_BOXES_ON_EDGES] = points_on_edges,
    [CN_BOXES_DISJOINT] = points_of_disjoint,
};

int cn_box_points(const CnBoxBlock* found, int i, CnManifoldPoint points[CN_MANIFOLD_POINTS]) {
    bool reversed = found->reversed[i] != 0.0;
    Meeting meeting = {
        .found = found,
        .lane = i,
        .first = reversed ? found->b[i] : found->a[i],
        .second = reversed ? found->a[i] : found->b[i],
        .sign = reversed ? -1.0 : 1.0,
    };
    return points_table[(int)found->meeting[i]](&meeting, points);
}
