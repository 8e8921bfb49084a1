// box_contact_lanes.h - several pairs of boxes side by side, from axes to written contact points.
#pragma once

#include "collision/box/box_clip_lanes.h"
#include "collision/hull/choose_lanes.h"

// Writing points, one pair at a time.

// The reference face in the world, and the normal of the contact. Points are at `middle` of the
// face, plus u and v along its axes, plus half the height along its normal.
typedef struct ReferenceRows {
    CnDouble4 middle, u, v, half; // the last is half the unit outward normal
    CnDouble4 normal;
} ReferenceRows;

CN_LANE_FUNCTION ReferenceRows reference_rows(const CnBoxBlock* found, int i) {
    static const int next[4] = {1, 2, 0, 1};
    const CnPlacedPolyhedron* box = found->boxes[cn_integer_of(found->owner[i])][i];
    uint32_t axis = cn_integer_of(found->axis[i]);
    CnDouble4 out = found->outward[i] * cn_double4_load(box->axes[axis]);
    CnDouble4 u = cn_double4_load(box->axes[next[axis]]),
              v = cn_double4_load(box->axes[next[axis + 1]]);
    return (ReferenceRows){
        .middle = cn_double4_load(box->center) + box->axes[axis][3] * out,
        .u = u,
        .v = v,
        .half = 0.5 * out,
        .normal = found->normal[0][i] * u + found->normal[1][i] * v + found->normal[2][i] * out,
    };
}

_Static_assert(offsetof(CnManifoldPoint, normal) == 3 * sizeof(double) &&
                   offsetof(CnManifoldPoint, gap) == 6 * sizeof(double),
               "point, normal and gap follow each other");

// Candidate k. Four numbers at a time: what the first row has too much the second puts right.
CN_LANE_FUNCTION void write_point(const CnBoxBlock* found, int i, unsigned k,
                                  const ReferenceRows* rows, CnManifoldPoint* point) {
    CnDouble4 at = rows->middle + found->u[k][i] * rows->u + found->v[k][i] * rows->v +
                   found->height[k][i] * rows->half;
    CnDouble4 gap = found->gap[k][i] - (CnDouble4){0.0};
    CnDouble4 normal = __builtin_shufflevector(rows->normal, gap, 0, 1, 2, 7);
    memcpy(&point->point, &at, sizeof at);
    memcpy(&point->normal, &normal, sizeof normal);
    point->feature = cn_integer_of(found->keys[k][i]);
}

CN_LANE_STAGE void write_crossing(const CnBoxBlock* found, int i) {
    ReferenceRows rows = reference_rows(found, i);
    write_point(found, i, CN_DEEPEST, &rows, &found->contacts[i]->points[0]);
    found->contacts[i]->count = 1;
}

// Four points are written, however many there are: a branch would be taken at random.
CN_LANE_FUNCTION void write_corners(const CnBoxBlock* found, int i) {
    ReferenceRows rows = reference_rows(found, i);
    CnBoxContact* contact = found->contacts[i];
    unsigned kept = (unsigned)found->kept[i], left = kept;
    CN_UNROLLED
    for (int n = 0; n < CN_MANIFOLD_POINTS; ++n, left &= left - 1) {
        unsigned k = (unsigned)__builtin_ctz(left | 1u << CN_DEEPEST);
        write_point(found, i, k, &rows, &contact->points[n]);
    }
    contact->count = __builtin_popcount(kept);
}

// Copies what was found of a pair that has too many candidates to a place in another block, where
// it waits for company: choosing pays if all lanes have to.
CN_LANE_STAGE void wait_for_choice(const CnBoxBlock* found, int i, CnBoxBlock* waiting) {
    int j = waiting->count++;
    waiting->boxes[0][j] = found->boxes[0][i];
    waiting->boxes[1][j] = found->boxes[1][i];
    waiting->contacts[j] = found->contacts[i];
    waiting->size[j] = found->size[i];
    waiting->owner[j] = found->owner[i];
    waiting->axis[j] = found->axis[i];
    waiting->outward[j] = found->outward[i];
    for (int x = 0; x < 3; ++x) {
        waiting->normal[x][j] = found->normal[x][i];
    }
    CN_UNROLLED
    for (int k = 0; k < CN_BOX_CANDIDATES; ++k) {
        waiting->u[k][j] = found->u[k][i];
        waiting->v[k][j] = found->v[k][i];
        waiting->gap[k][j] = found->gap[k][i];
        waiting->height[k][j] = found->height[k][i];
        waiting->keys[k][j] = found->keys[k][i];
    }
}

CN_LANE_FUNCTION bool has_too_many(const CnBoxBlock* found, int i) {
    return __builtin_popcount((unsigned)found->kept[i]) > CN_MANIFOLD_POINTS;
}

// Of the pair in lane i.
CN_LANE_FUNCTION void write_contact(const CnBoxBlock* found, int i, CnBoxBlock* waiting) {
    CnBoxContactKind meeting = (CnBoxContactKind)found->meeting[i];
    if (meeting == CN_BOXES_ON_FACES) {
        if (has_too_many(found, i)) {
            wait_for_choice(found, i, waiting);
        } else {
            write_corners(found, i);
        }
    } else if (meeting == CN_BOXES_ON_EDGES) {
        write_crossing(found, i);
    } else if (meeting == CN_BOXES_DISJOINT) {
        cn_box_points_of_disjoint(found, i, (int)cn_integer_of(found->first[i]));
    } else {
        found->contacts[i]->count = 0;
    }
}

// From axes to candidates, all lanes.

// What is known of contacts before their points.
typedef struct BoxContacts {
    CnMask crossed;    // edges have a larger separation than faces, and give the normal
    BoxEdges edges;    // where that is so
    CnLanes least_gap; // along the normal [m]
    CnLanes normal[3]; // from the reference's box, along u, v and w
    CnLanes meeting;   // CnBoxContactKind
} BoxContacts;

CN_LANE_FUNCTION void store_contacts(const BoxFrame* frame, const BoxContacts* contacts,
                                     BoxOutput out) {
    CnBoxBlock* block = out.block;
    int start = out.start;
    const CnLanes one = cn_lanes(1.0), whole = cn_lanes(CN_INTEGER_BASE),
                  next = cn_lanes(CN_INTEGER_BASE + 1.0);
    CnLanes forward = cn_select(frame->of_b, -one, one);
    cn_lanes_store(frame->size, &block->size[start]);
    cn_lanes_store(cn_select(frame->of_b ^ frame->of_second, next, whole), &block->first[start]);
    cn_lanes_store(cn_select(frame->of_b, next, whole), &block->owner[start]);
    cn_lanes_store(whole + frame->axis[0], &block->axis[start]);
    cn_lanes_store(cn_select(frame->high[0], one, -one), &block->outward[start]);
    cn_lanes_store(contacts->least_gap, &block->least_gap[start]);
    for (int x = 0; x < 3; ++x) {
        cn_lanes_store(forward * contacts->normal[x], &block->normal[x][start]);
    }
}

// The kind of contact where crossing edges have a larger separation than the faces. It is one of
// faces where the normal is near that of the reference; where moreover the boxes overlap, the edges
// certainly meet.
CN_LANE_FUNCTION void meet_edges(const BoxFrame* frame, const BoxAxes* axes, BoxContacts* contacts,
                                 BoxOutput out) {
    CnMask crossed = contacts->crossed;
    find_normal(frame, axes, &contacts->edges);
    for (int x = 0; x < 3; ++x) {
        contacts->normal[x] = cn_select(crossed, contacts->edges.normal[x], contacts->normal[x]);
    }
    CnMask leaning = cn_less(cn_lanes(1.0 - CN_FACE_CONTACT_TILT), contacts->normal[2]);
    CnMask settled = leaning & cn_at_most(axes->separation, frame->round_off);
    if (cn_any(cn_and_not(crossed, settled))) {
        BoxCrossing crossing;
        cross_edges(frame, axes, &contacts->edges, &crossing);
        put_deepest(&crossing, out);
        CnLanes met = cn_select(leaning, contacts->meeting, cn_lanes(CN_BOXES_ON_EDGES));
        met = cn_select(crossing.met, met, cn_lanes(CN_BOXES_DISJOINT));
        contacts->meeting = cn_select(crossed, met, contacts->meeting);
    }
}

// A corner is deep enough if its gap is the separation of the best axis of all: beside a face that
// is preferred to edges within the tie a vertex may be lower by as little.
CN_LANE_FUNCTION void meet_faces(const BoxFrame* frame, const BoxAxes* axes, CnMask on_faces,
                                 BoxContacts* contacts, BoxOutput out) {
    BoxFaces faces;
    clip_faces(frame, &contacts->normal[2], &faces, out);
    name_corners(frame, &faces, out);
    CnMask deep =
        cn_at_most(faces.lowest, axes->separation + CN_COINCIDENCE_TOLERANCE * frame->size);
    CnMask missing = cn_and_not(on_faces, deep), crossed = contacts->crossed;
    if (cn_any(missing)) {
        CnMask touch = crossed | cn_at_most(contacts->least_gap, frame->round_off);
        contacts->meeting =
            cn_select(cn_and_not(missing, touch), cn_lanes(CN_BOXES_DISJOINT), contacts->meeting);
        find_deepest_points(frame, axes, &contacts->edges, crossed, out);
        faces.kept |= cn_bits_where(missing, 1 << CN_DEEPEST);
    }
    CnLanes gap = cn_select(cn_and_not(on_faces, missing), cn_lanes(HUGE_VAL), contacts->least_gap);
    cn_lanes_store(gap, &out.block->gap[CN_DEEPEST][out.start]);
    memcpy(&out.block->kept[out.start], &faces.kept, sizeof faces.kept);
}

CN_LANE_FUNCTION void collide_lanes(CnBoxBlock* block, int start) {
    const BoxOutput out = {block, start};
    BoxFrame frame;
    BoxAxes axes;
    find_axes(block, start, &frame, &axes);
    CnMask near = cn_at_most(axes.separation, cn_lanes_load(&block->margin[start]));
    BoxContacts contacts;
    contacts.meeting = cn_where(near, CN_BOXES_ON_FACES);
    if (cn_any(near)) {
        contacts.crossed = near & cn_less(frame.separation + frame.tie, axes.separation);
        contacts.least_gap = cn_select(contacts.crossed, axes.separation, frame.separation);
        cn_lanes_store(contacts.least_gap, &block->gap[CN_DEEPEST][start]);
        contacts.normal[0] = contacts.normal[1] = cn_lanes(0.0);
        contacts.normal[2] = cn_lanes(1.0);
        if (cn_any(contacts.crossed)) {
            meet_edges(&frame, &axes, &contacts, out);
        }
        CnMask on_faces = cn_equal(contacts.meeting, cn_lanes(CN_BOXES_ON_FACES));
        if (cn_any(on_faces)) {
            meet_faces(&frame, &axes, on_faces, &contacts, out);
        }
        store_contacts(&frame, &contacts, out);
    }
    cn_lanes_store(contacts.meeting, &block->meeting[start]);
}

// Leaves the bits of those candidates that are chosen.
CN_LANE_STAGE void choose_corners(CnBoxBlock* block, int start) {
    Candidates from = {&block->u[0][start],
                       &block->v[0][start],
                       &block->gap[0][start],
                       CN_BOX_CANDIDATES,
                       CN_BLOCK,
                       cn_lanes_load(&block->size[start])};
    CnLaneBits chosen = choose_four(&from, false);
    memcpy(&block->kept[start], &chosen, sizeof chosen);
}

// Empty lanes of the last registers repeat the last pair.
CN_LANE_FUNCTION void fill_empty_lanes(CnBoxBlock* waiting) {
    int last = waiting->count - 1;
    for (int i = waiting->count; i % CN_LANES != 0; ++i) {
        waiting->size[i] = waiting->size[last];
        for (int k = 0; k < CN_BOX_CANDIDATES; ++k) {
            waiting->u[k][i] = waiting->u[k][last];
            waiting->v[k][i] = waiting->v[k][last];
            waiting->gap[k][i] = waiting->gap[k][last];
        }
    }
}

// Pairs that wait for their points to be chosen.
CN_LANE_STAGE void flush_block(CnBoxBlock* waiting) {
    fill_empty_lanes(waiting);
    for (int start = 0; start < waiting->count; start += CN_LANES) {
        choose_corners(waiting, start);
    }
    for (int i = 0; i < waiting->count; ++i) {
        write_corners(waiting, i);
    }
    waiting->count = 0;
}

// If all these lanes have too many candidates, they choose here.
CN_LANE_FUNCTION void choose_if_all(CnBoxBlock* block, int start) {
    bool all = true;
    for (int i = start; i < start + CN_LANES; ++i) {
        all = all && block->meeting[i] == CN_BOXES_ON_FACES && has_too_many(block, i);
    }
    if (all) {
        choose_corners(block, start);
    }
}

CN_LANE_FUNCTION void collide_block(CnBoxBlock* block, CnBoxBlock* waiting) {
    for (int start = 0; start < block->count; start += CN_LANES) {
        collide_lanes(block, start);
        choose_if_all(block, start);
    }
    for (int i = 0; i < block->count; ++i) {
        write_contact(block, i, waiting);
        if (waiting->count == CN_BLOCK) {
            flush_block(waiting);
        }
    }
}
