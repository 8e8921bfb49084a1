// box_lanes.h - what is found out about pairs of boxes side by side, and written down.
#pragma once

#include "collision/box_names.h"

// An axis of a face if one parts the pair: whether edges are looked at hangs on the other pairs.
CN_LANE_FUNCTION void store_axes(const BoxLanes* boxes, const BoxAxes* axes, BoxOutput out) {
    CnMask of_second = axes->face[0] < axes->face[1];
    CnLanes face = cn_select(of_second, axes->face[1], axes->face[0]);
    CnLanes axis = cn_select(of_second, axes->face_axis[1] + 3.0, axes->face_axis[0]);
    axis = cn_select(boxes->margin < face, axis, axes->edges + 6.0);
    cn_lanes_store(cn_where(boxes->reversed, 1.0), &out.block->reversed[out.start]);
    cn_lanes_store(axis, &out.block->axis[out.start]);
}

CN_LANE_FUNCTION void store_edges(const BoxEdges* edges, BoxOutput out) {
    for (int x = 0; x < 3; ++x) {
        cn_lanes_store(edges->normal[x], &out.block->normal[x][out.start]);
        cn_lanes_store(edges->point[x], &out.block->point[x][out.start]);
    }
    cn_lanes_store(edges->key, &out.block->key[out.start]);
}

CN_LANE_FUNCTION void store_faces(const BoxFaces* faces, BoxOutput out) {
    CnLanes face = faces->axis[0] + faces->axis[0] + cn_where(faces->high[0], 1.0);
    cn_lanes_store(face + cn_where(faces->of_second, 6.0), &out.block->reference[out.start]);
    cn_lanes_store(faces->corners, &out.block->corners[out.start]);
}

// How the pairs meet that are not apart, where edges cross that part them better than faces do.
CN_LANE_FUNCTION CnLanes meet_edges(const BoxLanes* boxes, const BoxAxes* axes, CnMask crossed,
                                    CnLanes meeting, BoxOutput out) {
    BoxEdges edges;
    cross_edges(boxes, axes, &edges);
    store_edges(&edges, out);
    CnLanes lean = cn_select(crossed, edges.lean, cn_lanes(1.0));
    cn_lanes_store(lean, &out.block->lean[out.start]);
    CnMask leaning = 1.0 - CN_LEANING < edges.lean;
    CnLanes met = cn_select(leaning, meeting, cn_lanes(CN_BOXES_ON_EDGES));
    met = cn_select(edges.met, met, cn_lanes(CN_BOXES_DISJOINT));
    return cn_select(crossed, met, meeting);
}

CN_LANE_FUNCTION void collide_lanes(CnBoxBlock* block, int start) {
    const BoxOutput out = {block, start};
    BoxLanes boxes;
    BoxAxes axes;
    load_boxes(block, start, &boxes);
    find_axes(&boxes, &axes);
    store_axes(&boxes, &axes, out);
    CnMask near = axes.separation <= boxes.margin;
    CnMask crossed = near & (axes.best_face + boxes.tie < axes.separation);
    CnLanes meeting = cn_where(near, CN_BOXES_ON_FACES);
    cn_lanes_store(cn_lanes(1.0), &block->lean[start]);
    if (cn_any(crossed)) {
        meeting = meet_edges(&boxes, &axes, crossed, meeting, out);
    }
    if (cn_any(meeting == CN_BOXES_ON_FACES)) {
        BoxFaces faces;
        clip_faces(&boxes, &axes, &faces, out);
        name_corners(&faces, out);
        store_faces(&faces, out);
    }
    cn_lanes_store(cn_where(crossed, 1.0), &block->crossed[start]);
    cn_lanes_store(cn_select(crossed, axes.separation, axes.best_face), &block->least_gap[start]);
    cn_lanes_store(meeting, &block->meeting[start]);
}

CN_LANE_FUNCTION void collide_block(CnBoxBlock* block) {
    for (int start = 0; start < block->count; start += CN_LANES) {
        collide_lanes(block, start);
    }
}
