// soft_single_lanes.h - sweeps of tiles whose manifolds have one point each.
//
// Included by soft_lanes.h. Such are most contacts of balls and capsules, and of heaps, unless they
// resist spinning or rolling. With one point, which is its own centroid, u = w = 0: normal and
// friction impulses act there, and there are no moments. The bits are those of the sweeps of any
// manifold, for half of the work and of the memory.
#pragma once

// One impulse at the centroid. (2)
CN_LANE_FUNCTION void apply_at_point(const CnSoftTile* tile, int lane, const TileFrame* frame,
                                     Vector impulse, Velocity* a, Velocity* b) {
    Symmetric inertia_a = load_symmetric(tile->inertia[0], lane);
    Symmetric inertia_b = load_symmetric(tile->inertia[1], lane);
    a->linear = subtract(a->linear, times(a->inverse_mass, impulse));
    b->linear = add(b->linear, times(b->inverse_mass, impulse));
    a->spin = subtract(a->spin, apply(&inertia_a, cross(frame->arm[0], impulse)));
    b->spin = add(b->spin, apply(&inertia_b, cross(frame->arm[1], impulse)));
}

// Velocity of B against A at the point.
CN_LANE_FUNCTION Vector velocity_at(const Velocity* a, const Velocity* b, const TileFrame* frame) {
    Vector at_a = add(a->linear, cross(a->spin, frame->arm[0]));
    Vector at_b = add(b->linear, cross(b->spin, frame->arm[1]));
    return subtract(at_b, at_a);
}

// (10)
CN_LANE_FUNCTION Floats find_separation(const CnSoftTile* tile, int lane, const TileFrame* frame,
                                        const CnSoftBody* bodies) {
    Motion a = load_motion(bodies, tile->offset[0] + lane);
    Motion b = load_motion(bodies, tile->offset[1] + lane);
    Vector seen_a = turn_back(&a, frame->normal), seen_b = turn_back(&b, frame->normal);
    Floats moved = dot(frame->normal, subtract(b.moved, a.moved)) + dot(seen_b, frame->arm[1]) -
                   dot(seen_a, frame->arm[0]);
    return load(tile->point[0].gap, lane) + moved;
}

// (11)
CN_LANE_FUNCTION void warm_start_single(CnSoftTile* tile, int lane, const CnSoftBodies* bodies) {
    const int32_t *at_a = tile->offset[0] + lane, *at_b = tile->offset[1] + lane;
    TileFrame frame = load_frame(tile, lane);
    store(find_separation(tile, lane, &frame, bodies->rows), tile->point[0].separation, lane);
    Velocity a = load_velocity(bodies->rows, at_a), b = load_velocity(bodies->rows, at_b);
    Floats across = load(tile->across, lane) * load(tile->slide.now[1], lane);
    Vector slide = add(times(load(tile->slide.now[0], lane), frame.tangent[0]),
                       times(across, frame.tangent[1]));
    Vector impulse = add(times(load(tile->point[0].push.now, lane), frame.normal), slide);
    apply_at_point(tile, lane, &frame, impulse, &a, &b);
    store_velocity(&a, at_a, bodies->rows);
    store_velocity(&b, at_b, bodies->rows);
    store(splat(0.0f), tile->point[0].push.total, lane);
    store(splat(0.0f), tile->slide.total[0], lane);
    store(splat(0.0f), tile->slide.total[1], lane);
}

// (4)
CN_LANE_FUNCTION void push_single(CnSoftTile* tile, int lane, const CnSoftBodies* bodies,
                                  const CnSoftRates* rates) {
    const int32_t *at_a = tile->offset[0] + lane, *at_b = tile->offset[1] + lane;
    Velocity a = load_velocity(bodies->rows, at_a), b = load_velocity(bodies->rows, at_b);
    TileFrame frame = load_frame(tile, lane);
    ContactSoftness soft = find_softness(&a, &b, rates);
    Floats v = dot(frame.normal, velocity_at(&a, &b, &frame));
    Floats old = load(tile->point[0].push.now, lane);
    Floats now = push_point(tile, lane, 0, v, &soft, rates);
    store(now, tile->point[0].push.now, lane);
    apply_at_point(tile, lane, &frame, times(now - old, frame.normal), &a, &b);
    store_velocity(&a, at_a, bodies->rows);
    store_velocity(&b, at_b, bodies->rows);
}

// (12)
CN_LANE_FUNCTION void relax_single(CnSoftTile* tile, int lane, const CnSoftBodies* bodies,
                                   const CnSoftRates* rates) {
    const int32_t *at_a = tile->offset[0] + lane, *at_b = tile->offset[1] + lane;
    TileFrame frame = load_frame(tile, lane);
    Floats gap = find_separation(tile, lane, &frame, bodies->rows);
    store(gap, tile->point[0].separation, lane);
    Velocity a = load_velocity(bodies->rows, at_a), b = load_velocity(bodies->rows, at_b);
    Vector velocity = velocity_at(&a, &b, &frame);
    Floats old = load(tile->point[0].push.now, lane);
    Floats open = max_of(gap, splat(0.0f)) * splat(rates->inverse_h);
    Floats v = dot(frame.normal, velocity) + open;
    Floats now = max_of(old - load(tile->point[0].mass, lane) * v, splat(0.0f));
    Floats got = now - old;
    store(now, tile->point[0].push.now, lane);
    store(load(tile->point[0].push.total, lane) + now, tile->point[0].push.total, lane);
    Floats across = load(tile->across, lane), slid[2];
    Floats along[2] = {dot(frame.tangent[0], velocity), across * dot(frame.tangent[1], velocity)};
    if (tile->has_belt) {
        along[0] = along[0] + load(tile->belt[0], lane);
        along[1] = along[1] + across * load(tile->belt[1], lane);
    }
    CN_UNROLLED
    for (int i = 0; i < 2; ++i) {
        along[i] = along[i] + load(tile->slide_by_push[i], lane) * got;
    }
    stop_pair(tile->slide_mass, lane, along, load(tile->friction, lane) * now, tile->slide.now,
              slid);
    CN_UNROLLED
    for (int i = 0; i < 2; ++i) {
        store(load(tile->slide.total[i], lane) + load(tile->slide.now[i], lane),
              tile->slide.total[i], lane);
    }
    Vector slide = add(times(slid[0], frame.tangent[0]), times(across * slid[1], frame.tangent[1]));
    apply_at_point(tile, lane, &frame, add(times(got, frame.normal), slide), &a, &b);
    store_velocity(&a, at_a, bodies->rows);
    store_velocity(&b, at_b, bodies->rows);
}
