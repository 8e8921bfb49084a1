// cut_lanes.h - one face cut with another, several corners at a time.
//
// The file that includes it says for which registers: math/simd.h. No corner is near a side: what
// is cut and what is over the other face is then a matter of signs. docs/theory/collision/sat.md
// (18).
#pragma once

#include "collision/hull/face_points.h"
#include "collision/hull/manifold.h"
#include "math/simd.h"

// Points of two faces come one after the other as rows, and are kept as columns, which four are
// chosen from. Columns are written four points at a time: a load of what was stored in parts just
// before would have to wait.

// Points of two faces of at most CN_CUT_CORNERS corners: where edges cross, and the corners.
#define CUT_POINTS (4 * CN_CUT_CORNERS)

typedef struct PointRows {
    const CnFacePair* pair;
    CnFacePoints* points;
    CnDouble4 scale; // turns x, y, height and height into x, y, z and gap
    CnDouble4 rows[CUT_POINTS + 4];
    size_t count;
} PointRows;

CN_LANE_FUNCTION void start_rows(const CnFacePair* pair, CnFacePoints* points, PointRows* rows) {
    rows->pair = pair;
    rows->points = points;
    rows->scale = (CnDouble4){1.0, 1.0, 0.5, pair->lean};
    rows->count = 0;
}

// docs/theory/collision/sat.md (5). What is beyond the margin is overwritten by the next.
CN_LANE_FUNCTION void put_point(PointRows* rows, CnDouble4 at, uint32_t key) {
    CnDouble4 point = at * rows->scale;
    size_t i = rows->count;
    rows->rows[i] = point;
    rows->points->feature[i] = key;
    rows->count = i + (point[3] <= rows->pair->margin);
}

// Four points become parts of four columns. Returns the gaps.
CN_LANE_FUNCTION CnDouble4 put_columns(const CnDouble4 rows[4], int i, CnFacePoints* points) {
    CnDouble4 a = __builtin_shufflevector(rows[0], rows[2], 0, 1, 4, 5);
    CnDouble4 b = __builtin_shufflevector(rows[1], rows[3], 0, 1, 4, 5);
    CnDouble4 c = __builtin_shufflevector(rows[0], rows[2], 2, 3, 6, 7);
    CnDouble4 d = __builtin_shufflevector(rows[1], rows[3], 2, 3, 6, 7);
    CnDouble4 gap = __builtin_shufflevector(c, d, 1, 5, 3, 7);
    cn_double4_store(__builtin_shufflevector(a, b, 0, 4, 2, 6), points->x + i);
    cn_double4_store(__builtin_shufflevector(a, b, 1, 5, 3, 7), points->y + i);
    cn_double4_store(__builtin_shufflevector(c, d, 0, 4, 2, 6), points->z + i);
    cn_double4_store(gap, points->gap + i);
    return gap;
}

CN_LANE_FUNCTION void pad_columns(CnFacePoints* points, int from) {
    CN_UNROLLED
    for (int i = from; i < from + CN_FLAT_PAD; i += 4) {
        cn_double4_store(cn_double4(0.0), points->x + i);
        cn_double4_store(cn_double4(0.0), points->y + i);
        cn_double4_store(cn_double4(0.0), points->z + i);
        cn_double4_store(cn_double4(HUGE_VAL), points->gap + i);
    }
}

CN_LANE_FUNCTION double least_of_row(CnDouble4 row) {
    row = cn_double4_min(row, __builtin_shufflevector(row, row, 2, 3, 0, 1));
    return cn_double4_min(row, __builtin_shufflevector(row, row, 1, 0, 3, 2))[0];
}

CN_LANE_FUNCTION void finish_rows(PointRows* rows) {
    const CnDouble4 none = {0.0, 0.0, 0.0, HUGE_VAL};
    CnDouble4 least = cn_double4(HUGE_VAL);
    int count = (int)rows->count, i = 0;
    for (int k = 0; k < 4; ++k) {
        rows->rows[count + k] = none;
    }
    for (; i < count; i += 4) {
        least = cn_double4_min(least, put_columns(&rows->rows[i], i, rows->points));
    }
    pad_columns(rows->points, i);
    rows->points->count = count;
    rows->points->least = least_of_row(least);
}

// The coordinates of several vectors, one each in a lane.
typedef struct VectorLanes {
    CnDouble4 x, y, z;
} VectorLanes;

// The axes of an outline, the normal of its face and its first corner.
CN_LANE_FUNCTION VectorLanes axes_of(const CnOutline* outline) {
    return (VectorLanes){cn_double4_load(outline->axes[0]), cn_double4_load(outline->axes[1]),
                         cn_double4_load(outline->axes[2])};
}

CN_LANE_FUNCTION VectorLanes turn_all(const CnMat3* turn, VectorLanes v) {
    const double(*m)[3] = turn->m;
    return (VectorLanes){m[0][0] * v.x + m[0][1] * v.y + m[0][2] * v.z,
                         m[1][0] * v.x + m[1][1] * v.y + m[1][2] * v.z,
                         m[2][0] * v.x + m[2][1] * v.y + m[2][2] * v.z};
}

CN_LANE_FUNCTION CnDouble4 dot(VectorLanes a, CnDouble4 x, CnDouble4 y, CnDouble4 z) {
    return a.x * x + a.y * y + a.z * z;
}

// The outline of the incident face in the frame of the reference: its first corner and its two
// axes, as rows of x, y, the height and the height once more: a point has half of one, and its gap
// is a share of the other.
typedef struct View {
    CnDouble4 from; // [m]
    CnDouble4 x, y;
    double facing; // cosine of the angle between the normals: negative
} View;

#define REPEAT_HEIGHT(row) __builtin_shufflevector(row, row, 0, 1, 2, 2)

CN_LANE_FUNCTION CnDouble4 see_corner(const CnFacePair* pair, const CnOutline* base,
                                      VectorLanes frame, CnDouble4 x, CnDouble4 y, CnDouble4 z) {
    const double origin[3] = {base->axes[0][3], base->axes[1][3], base->axes[2][3]};
    CnDouble4 seen = dot(frame, pair->pose->offset.x + x - (CnDouble4){origin[0], origin[0]},
                         pair->pose->offset.y + y - (CnDouble4){origin[1], origin[1]},
                         pair->pose->offset.z + z - (CnDouble4){origin[2], origin[2]});
    double offset = cn_reference_face(pair)->offset;
    return seen - (CnDouble4){0.0, 0.0, offset, offset};
}

CN_LANE_FUNCTION View see_incident(const CnFacePair* pair, const CnOutline* base,
                                   const CnOutline* cover) {
    VectorLanes frame = axes_of(base), axes = turn_all(&pair->pose->turn, axes_of(cover));
    frame = (VectorLanes){REPEAT_HEIGHT(frame.x), REPEAT_HEIGHT(frame.y), REPEAT_HEIGHT(frame.z)};
    View view = {
        .from = see_corner(pair, base, frame, cn_double4_spread(axes.x, 3),
                           cn_double4_spread(axes.y, 3), cn_double4_spread(axes.z, 3)),
        .x = dot(frame, cn_double4_spread(axes.x, 0), cn_double4_spread(axes.y, 0),
                 cn_double4_spread(axes.z, 0)),
        .y = dot(frame, cn_double4_spread(axes.x, 1), cn_double4_spread(axes.y, 1),
                 cn_double4_spread(axes.z, 1)),
    };
    view.facing = view.x[0] * view.y[1] - view.x[1] * view.y[0];
    return view;
}

// Rows of as many lanes as a face has corners.
#define PARTS (CN_CUT_CORNERS / 4)

// The corners of the reference in the outline of the incident face, docs/theory/collision/sat.md
// (19).
typedef struct Covered {
    CnDouble4 x[PARTS], y[PARTS]; // [m]
} Covered;

CN_LANE_FUNCTION Covered see_covered(const View* view, const CnOutline* base, int parts) {
    Covered covered;
    double inverse = 1.0 / view->facing;
    CN_UNROLLED
    for (int k = 0; k < parts; ++k) {
        CnDouble4 way_x = cn_double4_load(base->x + k * 4) - view->from[0];
        CnDouble4 way_y = cn_double4_load(base->y + k * 4) - view->from[1];
        covered.x[k] = (way_x * view->y[1] - way_y * view->y[0]) * inverse;
        covered.y[k] = (way_y * view->x[0] - way_x * view->x[1]) * inverse;
    }
    return covered;
}

// Answers about two faces, or places for numbers about them: eight for each corner of the incident
// one, or for the side that leaves it; of these one for each side or corner of the reference.
typedef uint64_t Table;
#define PLACES (CN_CUT_CORNERS * CN_CUT_CORNERS)

// Each face in the frame of the other.
typedef struct Faces {
    // Of corners of the incident face, where the first follows the last once more.
    double corners[PLACES + CN_CUT_CORNERS]; // rows, each in eight places [m]
    double depths[PLACES + CN_CUT_CORNERS];  // inside the sides of the reference [m]

    Table incident_outside, base_outside; // corners of one outside of sides of the other
} Faces;

// Bits of the depths that are negative; nearest becomes the least of all of them [m].
CN_LANE_FUNCTION unsigned note_depths(CnDouble4 depths, CnDouble4* nearest) {
    *nearest = cn_double4_min(*nearest, cn_double4_abs(depths));
    return cn_double4_signs(depths);
}

// A corner of the incident face against all sides of the reference.
CN_LANE_FUNCTION unsigned compare_corner(const CnOutline* base, CnDouble4 at, int parts,
                                         double* depths, CnDouble4* nearest) {
    CnDouble4 x = cn_double4_spread(at, 0), y = cn_double4_spread(at, 1);
    unsigned outside = 0;
    CN_UNROLLED
    for (int j = 0; j < parts * 4; j += 4) {
        CnDouble4 depth = cn_double4_load(base->inward_x + j) * x +
                          cn_double4_load(base->inward_y + j) * y -
                          cn_double4_load(base->offset + j);
        outside |= note_depths(depth, nearest) << j;
        cn_double4_store(depth, depths + j);
    }
    return outside;
}

// A side of the incident face against all corners of the reference.
CN_LANE_FUNCTION unsigned compare_side(const CnOutline* cover, int i, const Covered* covered,
                                       int parts, CnDouble4* nearest) {
    unsigned outside = 0;
    CN_UNROLLED
    for (int k = 0; k < parts; ++k) {
        CnDouble4 depth = cover->inward_x[i] * covered->x[k] + cover->inward_y[i] * covered->y[k] -
                          cover->offset[i];
        outside |= note_depths(depth, nearest) << (k * 4);
    }
    return outside;
}

// The first corner, and once more behind the last. False when it is within tolerance of a side: so
// it mostly is where corners lie over corners, and nothing else is looked at.
CN_LANE_FUNCTION bool compare_first(const CnFacePair* pair, const View* view, const CnOutline* base,
                                    int count, int parts, Faces* faces) {
    CnDouble4 nearest = cn_double4(HUGE_VAL);
    double depths[CN_CUT_CORNERS];
    int end = CN_CUT_CORNERS * count;
    faces->incident_outside = compare_corner(base, view->from, parts, depths, &nearest);
    cn_double4_store(view->from, faces->corners);
    cn_double4_store(view->from, faces->corners + end);
    CN_UNROLLED
    for (int j = 0; j < parts * 4; j += 4) {
        cn_double4_store(cn_double4_load(depths + j), faces->depths + j);
        cn_double4_store(cn_double4_load(depths + j), faces->depths + end + j);
    }
    return !cn_double4_any(nearest <= pair->tolerance);
}

// The other corners of the incident face, and all its sides. False when a corner is within
// tolerance of a side.
CN_LANE_FUNCTION bool compare_faces(const CnFacePair* pair, const View* view, const CnOutline* base,
                                    const CnOutline* cover, const Covered* covered, int parts,
                                    Faces* faces) {
    CnDouble4 nearest = cn_double4(HUGE_VAL);
    Table incident = 0, reference = 0;
    for (int i = cover->count - 1; i > 0; --i) {
        int place = CN_CUT_CORNERS * i;
        CnDouble4 at = view->from + (view->x * cover->x[i] + view->y * cover->y[i]);
        cn_double4_store(at, faces->corners + place);
        incident = incident << 8 | compare_corner(base, at, parts, faces->depths + place, &nearest);
        reference = reference << 8 | compare_side(cover, i, covered, parts, &nearest);
    }
    faces->incident_outside |= incident << 8;
    faces->base_outside = reference << 8 | compare_side(cover, 0, covered, parts, &nearest);
    return !cn_double4_any(nearest <= pair->tolerance);
}

#define EACH_BYTE UINT64_C(0x0101010101010101)

// Bytes of the next corner of the incident face, where the first follows the last.
CN_LANE_FUNCTION Table of_next_corners(Table table, int count) {
    return table >> 8 | table << (8 * (count - 1));
}

// Bits of the next corner of the reference, where the first follows the last of so many.
CN_LANE_FUNCTION Table of_next_bits(Table table, int bits) {
    Table last = EACH_BYTE << (bits - 1);
    return (table >> 1 & (last - EACH_BYTE)) | (table & EACH_BYTE) << (bits - 1);
}

// An edge and a side cross where the ends of each are on both sides of the other. At most two sides
// of a convex face cross an edge of another.
CN_LANE_FUNCTION Table find_crossings(const Faces* faces, int count, int parts) {
    return (faces->incident_outside ^ of_next_corners(faces->incident_outside, count)) &
           (faces->base_outside ^ of_next_bits(faces->base_outside, parts * 4));
}

// Of `count` bytes those that are zero, as their highest bit.
CN_LANE_FUNCTION Table find_inside(Table outside, int count) {
    Table low = 0x7f * EACH_BYTE;
    Table some = ((outside & low) + low) | outside | low;
    return ~some & UINT64_MAX >> (8 * (CN_CUT_CORNERS - count));
}

// The first `count` bits that no byte has.
CN_LANE_FUNCTION unsigned find_covered(Table outside, int count) {
    outside |= outside >> 32;
    outside |= outside >> 16;
    outside |= outside >> 8;
    return ~(unsigned)outside & ((1u << count) - 1);
}

_Static_assert(CN_OUTLINE_SIDES <= CN_FEATURE_MASK, "keys of sides do not repeat");

CN_LANE_FUNCTION uint32_t key_of(const CnFacePair* pair, CnFeatureKind meeting, int reference,
                                 int incident) {
    return pair->flipped ? cn_feature_key(meeting, incident, reference)
                         : cn_feature_key(meeting, reference, incident);
}

CN_LANE_FUNCTION void put_crossings(const Faces* faces, Table crossings, uint32_t first_key,
                                    PointRows* rows) {
    bool flipped = rows->pair->flipped;
    uint32_t of_side = flipped ? 1u : 1u << CN_FEATURE_BITS;
    uint32_t of_edge = flipped ? 1u << CN_FEATURE_BITS : 1u;
    for (; crossings != 0; crossings &= crossings - 1) {
        uint32_t place = (uint32_t)__builtin_ctzll(crossings);
        uint32_t side = place % CN_CUT_CORNERS, edge = place / CN_CUT_CORNERS;
        double from = faces->depths[place], to = faces->depths[place + CN_CUT_CORNERS];
        CnDouble4 a = cn_double4_load(faces->corners + edge * CN_CUT_CORNERS);
        CnDouble4 b = cn_double4_load(faces->corners + edge * CN_CUT_CORNERS + CN_CUT_CORNERS);
        put_point(rows, a + from / (from - to) * (b - a),
                  first_key + side * of_side + edge * of_edge);
    }
}

CN_LANE_FUNCTION void put_covered(const View* view, const CnOutline* base, const Covered* covered,
                                  unsigned left, PointRows* rows) {
    const CnFacePair* pair = rows->pair;
    const int* loop = pair->reference->loop + base->first;
    CnFeatureKind meeting = pair->flipped ? CN_FEATURE_VERTEX_OF_B : CN_FEATURE_VERTEX_OF_A;
    for (; left != 0; left &= left - 1) {
        int j = __builtin_ctz(left), part = j / 4, lane = j % 4;
        CnDouble4 at =
            view->from + (view->x * covered->x[part][lane] + view->y * covered->y[part][lane]);
        put_point(rows, (CnDouble4){base->x[j], base->y[j], at[2], at[3]},
                  key_of(pair, meeting, loop[j], pair->other));
    }
}

CN_LANE_FUNCTION void put_inside(const Faces* faces, const CnOutline* cover, PointRows* rows) {
    const CnFacePair* pair = rows->pair;
    const int* loop = pair->incident->loop + cover->first;
    CnFeatureKind meeting = pair->flipped ? CN_FEATURE_VERTEX_OF_A : CN_FEATURE_VERTEX_OF_B;
    Table left = find_inside(faces->incident_outside, cover->count);
    for (; left != 0; left &= left - 1) {
        size_t i = (size_t)__builtin_ctzll(left) / CN_CUT_CORNERS;
        put_point(rows, cn_double4_load(faces->corners + CN_CUT_CORNERS * i),
                  key_of(pair, meeting, pair->face, loop[i]));
    }
}

// The order of points is that of edges where they enter the reference, then where they leave it, of
// corners of the reference, of corners of the incident face.
CN_LANE_FUNCTION bool cut_faces(const CnFacePair* pair, const View* view, const CnOutline* base,
                                const CnOutline* cover, int parts, CnFacePoints* points) {
    Faces faces;
    if (!compare_first(pair, view, base, cover->count, parts, &faces)) {
        return false;
    }
    Covered covered = see_covered(view, base, parts);
    if (!compare_faces(pair, view, base, cover, &covered, parts, &faces)) {
        return false;
    }
    Table crossings = find_crossings(&faces, cover->count, parts);
    if (__builtin_popcountll(crossings) > 2 * CN_CUT_CORNERS) {
        return false; // no convex faces: numbers that are not finite
    }
    uint32_t first = key_of(pair, CN_FEATURE_SIDES, base->first, cover->first);
    PointRows rows;
    start_rows(pair, points, &rows);
    put_crossings(&faces, crossings & faces.incident_outside, first, &rows);
    put_crossings(&faces, crossings & ~faces.incident_outside, first, &rows);
    put_covered(view, base, &covered, find_covered(faces.base_outside, base->count), &rows);
    put_inside(&faces, cover, &rows);
    finish_rows(&rows);
    return true;
}

// Of faces that make a larger angle than this cosine the outlines are a poor view of each other.
#define STEEP 0.1

static CN_LANE_TARGET bool cut(const CnFacePair* pair, CnFacePoints* points) {
    if (pair->reference->outlines == NULL || pair->incident->outlines == NULL) {
        return false;
    }
    const CnOutline* base = &pair->reference->outlines[pair->face];
    const CnOutline* cover = &pair->incident->outlines[pair->other];
    if (base->count == 0 || cover->count == 0) {
        return false;
    }
    View view = see_incident(pair, base, cover);
    if (!(view.facing < -STEEP)) {
        return false;
    }
    return base->count <= 4 ? cut_faces(pair, &view, base, cover, 1, points)
                            : cut_faces(pair, &view, base, cover, PARTS, points);
}
