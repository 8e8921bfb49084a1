// box_lanes.h - pairs of boxes side by side, from where they are to their contact points.
#pragma once

#include "collision/box/box_write.h"

// What is known of contacts before their points.
typedef struct BoxContacts {
    CnMask crossed;    // edges part the boxes better than faces do, and give the normal
    BoxEdges edges;    // where that is so
    CnLanes least_gap; // along the normal [m]
    CnLanes normal[3]; // from the reference's box, along u, v and w
    CnLanes meeting;   // CnBoxMeeting
} BoxContacts;

CN_LANE_FUNCTION void store_contacts(const BoxFrame* frame, const BoxContacts* contacts,
                                     BoxOutput out) {
    CnBoxBlock* block = out.block;
    int start = out.start;
    const CnLanes one = cn_lanes(1.0), whole = cn_lanes(CN_WHOLE), next = cn_lanes(CN_WHOLE + 1.0);
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

// How pairs meet where edges cross that part them better than faces do. The faces stand for the
// contact where the normal leans little; where moreover the boxes overlap, the edges surely meet.
CN_LANE_FUNCTION void meet_edges(const BoxFrame* frame, const BoxAxes* axes, BoxContacts* contacts,
                                 BoxOutput out) {
    CnMask crossed = contacts->crossed;
    find_normal(frame, axes, &contacts->edges);
    for (int x = 0; x < 3; ++x) {
        contacts->normal[x] = cn_select(crossed, contacts->edges.normal[x], contacts->normal[x]);
    }
    CnMask leaning = cn_less(cn_lanes(1.0 - CN_LEANING), contacts->normal[2]);
    CnMask settled = leaning & cn_at_most(axes->separation, frame->nothing);
    if (cn_any(cn_and_not(crossed, settled))) {
        BoxCrossing crossing;
        cross_edges(frame, axes, &contacts->edges, &crossing);
        put_deepest(&crossing, out);
        CnLanes met = cn_select(leaning, contacts->meeting, cn_lanes(CN_BOXES_ON_EDGES));
        met = cn_select(crossing.met, met, cn_lanes(CN_BOXES_DISJOINT));
        contacts->meeting = cn_select(crossed, met, contacts->meeting);
    }
}

// A corner is deep enough if it is where the best axis of all has it: a face that stands for edges
// better by less than the tie may have a vertex beside it that is lower by as little.
CN_LANE_FUNCTION void meet_faces(const BoxFrame* frame, const BoxAxes* axes, CnMask on_faces,
                                 BoxContacts* contacts, BoxOutput out) {
    BoxFaces faces;
    clip_faces(frame, &contacts->normal[2], &faces, out);
    name_corners(frame, &faces, out);
    CnMask deep = cn_at_most(faces.lowest, axes->separation + CN_EXACT * frame->size);
    CnMask missing = cn_and_not(on_faces, deep), crossed = contacts->crossed;
    if (cn_any(missing)) {
        CnMask touch = crossed | cn_at_most(contacts->least_gap, frame->nothing);
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

// Pairs that wait for their points to be chosen; lanes that stay empty hold anything.
CN_LANE_STAGE void settle_block(CnBoxBlock* waiting) {
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
            settle_block(waiting);
        }
    }
}
