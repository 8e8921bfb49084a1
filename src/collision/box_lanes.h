// box_lanes.h - pairs of boxes side by side, from where they are to their contact points.
#pragma once

#include "collision/box_write.h"

CN_LANE_FUNCTION void store_edges(const BoxEdges* edges, BoxOutput out) {
    CnLanes forward = 0.5 - cn_lanes_load(&out.block->first[out.start]);
    for (int x = 0; x < 3; ++x) {
        cn_lanes_store(cn_lanes_turn(edges->normal[x], forward), &out.block->normal[x][out.start]);
        cn_lanes_store(edges->point[x], &out.block->point[x][out.start]);
    }
    cn_lanes_store(edges->key, &out.block->key[out.start]);
}

CN_LANE_FUNCTION void store_faces(const BoxFaces* faces, BoxOutput out) {
    CnLanes first = cn_lanes_load(&out.block->first[out.start]);
    CnLanes owner = cn_select(faces->of_second, 1.0 - first, first);
    CnLanes outward = cn_select(faces->high[0], cn_lanes(1.0), cn_lanes(-1.0));
    cn_lanes_store(owner, &out.block->owner[out.start]);
    cn_lanes_store(faces->axis[0], &out.block->axis[out.start]);
    cn_lanes_store(outward, &out.block->outward[out.start]);
    cn_lanes_store(outward - 2.0 * owner * outward, &out.block->forward[out.start]);
    cn_lanes_store(faces->kept, &out.block->kept[out.start]);
}

// How the pairs meet that are not apart, where edges cross that part them better than faces do.
CN_LANE_FUNCTION CnLanes meet_edges(const BoxLanes* boxes, const BoxAxes* axes, CnMask crossed,
                                    CnLanes meeting, CnLanes* lean, BoxOutput out) {
    BoxEdges edges;
    cross_edges(boxes, axes, &edges);
    store_edges(&edges, out);
    *lean = cn_select(crossed, edges.lean, *lean);
    CnMask leaning = cn_less(cn_lanes(1.0 - CN_LEANING), edges.lean);
    CnLanes met = cn_select(leaning, meeting, cn_lanes(CN_BOXES_ON_EDGES));
    met = cn_select(edges.met, met, cn_lanes(CN_BOXES_DISJOINT));
    return cn_select(crossed, met, meeting);
}

CN_LANE_FUNCTION void meet_faces(const BoxLanes* boxes, const BoxAxes* axes, CnLanes lean,
                                 CnLanes least_gap, CnMask on_faces, BoxOutput out) {
    BoxFaces faces;
    clip_faces(boxes, axes, &lean, &faces, out);
    name_corners(&faces, out);
    store_faces(&faces, out);
    CnMask deep = cn_at_most(faces.lowest, least_gap + CN_EXACT * boxes->size);
    cn_lanes_store(cn_lanes(HUGE_VAL), &out.block->gap[CN_DEEPEST][out.start]);
    unsigned missing = cn_mask_answers(cn_but_not(on_faces, deep));
    for (; missing != 0; missing &= missing - 1) {
        cn_box_add_deepest(out.block, out.start + __builtin_ctz(missing));
    }
}

CN_LANE_FUNCTION void collide_lanes(CnBoxBlock* block, int start) {
    const BoxOutput out = {block, start};
    BoxLanes boxes;
    BoxAxes axes;
    find_axes(block, start, &boxes, &axes);
    CnMask near = cn_at_most(axes.separation, boxes.margin);
    CnMask crossed = near & cn_less(axes.best_face + boxes.tie, axes.separation);
    CnLanes meeting = cn_where(near, CN_BOXES_ON_FACES), lean = cn_lanes(1.0);
    CnLanes least_gap = cn_select(crossed, axes.separation, axes.best_face);
    cn_lanes_store(boxes.size, &block->size[start]);
    cn_lanes_store(cn_where(boxes.reversed, 1.0), &block->first[start]);
    if (cn_any(crossed)) {
        meeting = meet_edges(&boxes, &axes, crossed, meeting, &lean, out);
    }
    cn_lanes_store(cn_where(crossed, 1.0), &block->crossed[start]);
    cn_lanes_store(least_gap, &block->least_gap[start]);
    cn_lanes_store(meeting, &block->meeting[start]);
    CnMask on_faces = cn_equal(meeting, cn_lanes(CN_BOXES_ON_FACES));
    if (cn_any(on_faces)) {
        meet_faces(&boxes, &axes, lean, least_gap, on_faces, out);
    }
}

// Pairs that wait for their points to be chosen; lanes that stay empty hold anything.
CN_LANE_FUNCTION void settle_block(CnBoxBlock* waiting) {
    for (int start = 0; start < waiting->count; start += CN_LANES) {
        choose_four(waiting, start);
    }
    for (int i = 0; i < waiting->count; ++i) {
        write_corners(waiting, i);
    }
    waiting->count = 0;
}

CN_LANE_FUNCTION void collide_block(CnBoxBlock* block, CnBoxBlock* waiting) {
    for (int start = 0; start < block->count; start += CN_LANES) {
        collide_lanes(block, start);
    }
    for (int i = 0; i < block->count; ++i) {
        write_contact(block, i, waiting);
        if (waiting->count == CN_BLOCK) {
            settle_block(waiting);
        }
    }
}
