// linkage_limb_passes.h - factor and solve of limbs side by side, one in each lane.
//
// factor_and_pass() and pass_down() of linkage_passes.h, number by number, each lane with their
// bits. Of B and B^T one is kept. Included there.

// I = [A B; B^T C] of each lane; A is symmetric to the bit, C is not.
typedef struct LaneInertia {
    CnLanes a[6]; // xx, xy, xz, yy, yz, zz
    CnLanes b[3][3], c[3][3];
} LaneInertia;

static const int symmetric_place[3][3] = {{0, 1, 2}, {1, 3, 4}, {2, 4, 5}};

// A link in each lane.
typedef struct LaneLink {
    int link[CN_LANES]; // lanes without one repeat that of another
    bool is_there[CN_LANES];
    CnMask exists, has_axis;
    CnLaneVec3 arm;
    int axis_of[CN_LANES]; // number of its axis
    CnLanes axis[6], slope;
} LaneLink;

// What a link leaves to its parent.
typedef struct LaneRest {
    LaneInertia inertia;
    CnLanes momentum[6];
} LaneRest;

// Six numbers of each lane's array.
CN_LANE_FUNCTION void gather_six(const double (*array)[6], const LaneLink* lane, CnLanes out[6]) {
    const double* from[CN_LANES];
    for (int i = 0; i < CN_LANES; ++i) {
        from[i] = array[lane->link[i]];
    }
    cn_lanes_gather_many(from, 0, 6, out);
}

// Only lanes with a link write; the others write where nobody reads.
CN_LANE_FUNCTION void scatter_numbers(const CnLanes* numbers, int count,
                                      double* const to[CN_LANES]) {
    cn_lanes_scatter_many(numbers, count, to, 0);
}

// The lanes of a number of bits, the first the lowest. Lanes that were written one by one would be
// read back from memory before they are there.
CN_LANE_FUNCTION CnMask lanes_of_bits(unsigned bits) {
    static const int64_t places[4] = {1, 2, 4, 8};
    CnLaneBits own;
    memcpy(&own, places, sizeof own);
    return (cn_lane_bits(bits) & own) == own;
}

// The links of some lanes of a group at one place, where the first of them has one: it is the
// longest. Lanes that have none take its.
CN_LANE_FUNCTION void find_lanes(const CnLinkage* links, const CnLimbGroup* group, int place,
                                 int first, LaneLink* lane) {
    const int* own = group->link[place] + first;
    unsigned there = 0, with_axis = (1u << CN_LANES) - 1u;
    for (int i = 0; i < CN_LANES; ++i) {
        lane->link[i] = own[i] >= 0 ? own[i] : own[0];
        lane->is_there[i] = own[i] >= 0;
        there |= (unsigned)lane->is_there[i] << i;
    }
    for (int i = 0; i < CN_LANES; ++i) {
        lane->axis_of[i] = links->first_axis[lane->link[i]];
    }
    for (int i = 0; !links->limbs.have_axes && i < CN_LANES; ++i) {
        bool has_axis = links->first_axis[lane->link[i] + 1] > lane->axis_of[i];
        with_axis &= ~((unsigned)!has_axis << i);
        lane->axis_of[i] = has_axis ? lane->axis_of[i] : 0; // any will do
    }
    lane->exists = lanes_of_bits(there);
    lane->has_axis = lanes_of_bits(with_axis);
}

CN_LANE_FUNCTION void read_lanes(const CnLinkage* links, const CnLimbGroup* group, int place,
                                 int first, LaneLink* lane) {
    static const double none[3] = {0.0};
    const double *arm[CN_LANES], *axis[CN_LANES];
    CnLanes head[2];
    find_lanes(links, group, place, first, lane);
    for (int i = 0; i < CN_LANES; ++i) {
        arm[i] = links->arm[lane->link[i]];
        axis[i] = links->axis[lane->axis_of[i]];
    }
    for (int i = 0; place == 0 && i < CN_LANES; ++i) { // bases alone may have no parent
        arm[i] = links->parent[lane->link[i]] >= 0 ? arm[i] : none;
    }
    cn_lanes_gather_many(arm, 0, 2, head);
    lane->arm.x = head[0];
    lane->arm.y = head[1];
    lane->arm.z = cn_lanes_gather_one(arm, 2);
    cn_lanes_gather_many(axis, 0, 6, lane->axis);
    lane->slope = cn_lanes(0.0);
    for (int i = 0; links->has_slopes && i < CN_LANES; ++i) {
        lane->slope[i] = links->slope[lane->axis_of[i]][0];
    }
    if (!links->limbs.have_axes) {
        lane->slope = cn_keep(lane->has_axis, lane->slope);
        for (int k = 0; k < 6; ++k) {
            lane->axis[k] = cn_keep(lane->has_axis, lane->axis[k]);
        }
    }
}

// I S, as times_inertia().
CN_LANE_FUNCTION void lane_times_inertia(const LaneInertia* in, const CnLanes s[6],
                                         CnLanes out[6]) {
    for (int r = 0; r < 3; ++r) {
        const int* at = symmetric_place[r];
        out[r] = ((s[0] * in->a[at[0]] + s[1] * in->a[at[1]]) +
                  (s[2] * in->a[at[2]] + s[3] * in->b[r][0])) +
                 (s[4] * in->b[r][1] + s[5] * in->b[r][2]);
        out[3 + r] = ((s[0] * in->b[0][r] + s[1] * in->b[1][r]) +
                      (s[2] * in->b[2][r] + s[3] * in->c[r][0])) +
                     (s[4] * in->c[r][1] + s[5] * in->c[r][2]);
    }
}

// six_dot()
CN_LANE_FUNCTION CnLanes lane_dot6(const CnLanes x[6], const CnLanes y[6]) {
    return ((x[0] * y[0] + x[1] * y[1]) + (x[2] * y[2] + x[3] * y[3])) +
           (x[4] * y[4] + x[5] * y[5]);
}

// parts_dot()
CN_LANE_FUNCTION CnLanes lane_parts_dot(const CnLanes x[6], const CnLanes y[6]) {
    return ((x[0] * y[0] + x[3] * y[3]) + (x[1] * y[1] + x[4] * y[4])) +
           (x[2] * y[2] + x[5] * y[5]);
}

CN_LANE_FUNCTION void lane_take_axis(const CnLanes u[6], CnLanes w, LaneInertia* in) {
    for (int r = 0; r < 3; ++r) {
        for (int k = 0; k < 3; ++k) {
            if (k >= r) {
                int at = symmetric_place[r][k];
                in->a[at] = in->a[at] - w * (u[k] * u[r]);
            }
            in->b[r][k] = in->b[r][k] - w * (u[3 + k] * u[r]);
            in->c[r][k] = in->c[r][k] - w * (u[3 + k] * u[3 + r]);
        }
    }
}

// Row r of M [arm], from row r of M.
CN_LANE_FUNCTION void lane_times_cross(const CnLanes m[3], const CnLaneVec3* arm, CnLanes out[3]) {
    out[0] = arm->z * m[1] - arm->y * m[2];
    out[1] = arm->x * m[2] - arm->z * m[0];
    out[2] = arm->y * m[0] - arm->x * m[1];
}

// X^T I X in place of I, as add_to_parent() adds it.
CN_LANE_FUNCTION void lane_shift(const CnLaneVec3* arm, LaneInertia* in) {
    CnLanes by_arm[3], back[3][3], turned[3][3];
    for (int r = 0; r < 3; ++r) { // B^T [arm]
        const CnLanes row[3] = {in->b[0][r], in->b[1][r], in->b[2][r]};
        lane_times_cross(row, arm, back[r]);
    }
    for (int r = 0; r < 3; ++r) {
        const int* at = symmetric_place[r];
        const CnLanes row[3] = {in->a[at[0]], in->a[at[1]], in->a[at[2]]};
        lane_times_cross(row, arm, by_arm);
        for (int k = 0; k < 3; ++k) {
            in->b[r][k] = in->b[r][k] - by_arm[k];
        }
    }
    for (int r = 0; r < 3; ++r) {
        const CnLanes moved[3] = {in->b[0][r], in->b[1][r], in->b[2][r]};
        lane_times_cross(moved, arm, turned[r]);
    }
    for (int r = 0; r < 3; ++r) {
        for (int k = 0; k < 3; ++k) {
            in->c[r][k] = in->c[r][k] - (back[r][k] + turned[k][r]);
        }
    }
}

// Adds the inertias of the bodies alone.
CN_LANE_FUNCTION void add_own_inertia(const CnLinkage* links, const LaneLink* lane,
                                      LaneInertia* in) {
    CnLanes inertia[6], mass;
    gather_six((const double(*)[6])links->inertia, lane, inertia);
    for (int i = 0; i < CN_LANES; ++i) {
        mass[i] = links->mass[lane->link[i]];
    }
    in->a[0] = mass + in->a[0];
    in->a[3] = mass + in->a[3];
    in->a[5] = mass + in->a[5];
    for (int r = 0; r < 3; ++r) {
        for (int k = 0; k < 3; ++k) {
            in->c[r][k] = inertia[symmetric_place[r][k]] + in->c[r][k];
        }
    }
}

// As Blocks have it, with P after it.
CN_LANE_FUNCTION void write_whole(const LaneRest* rest, bool with_momentum,
                                  double* const to[CN_LANES]) {
    CnLanes numbers[54];
    const CnLanes zero = cn_lanes(0.0);
    for (int k = 0; k < 3; ++k) {
        for (int r = 0; r < 3; ++r) {
            numbers[4 * k + r] = rest->inertia.a[symmetric_place[r][k]];
            numbers[12 + 4 * k + r] = rest->inertia.b[r][k];
            numbers[24 + 4 * k + r] = rest->inertia.b[k][r];
            numbers[36 + 4 * k + r] = rest->inertia.c[r][k];
        }
        for (int part = 0; part < 4; ++part) {
            numbers[12 * part + 4 * k + 3] = zero;
        }
    }
    for (int k = 0; k < 6; ++k) {
        numbers[48 + k] = rest->momentum[k];
    }
    scatter_numbers(numbers, with_momentum ? 54 : 48, to);
}

// D of each lane with an axis; U and Z are scaled by c. False: a pivot is not positive.
CN_LANE_FUNCTION bool eliminate_lane_axes(const LaneLink* lane, LaneInertia* in, CnLanes u[6],
                                          CnLanes z[6], CnLanes* c) {
    const CnLanes zero = cn_lanes(0.0), one = cn_lanes(1.0);
    lane_times_inertia(in, lane->axis, u);
    CnLanes d = lane_parts_dot(lane->axis, u) + lane->slope;
    CnMask is_good = cn_less(zero, d) & cn_less(d, cn_lanes(HUGE_VAL));
    if (cn_any(cn_and_not(lane->has_axis & lane->exists, is_good))) {
        return false;
    }
    CnLanes inverse = cn_keep(lane->has_axis, one / cn_select(is_good, d, one));
    *c = cn_lanes_sqrt(inverse);
    lane_take_axis(u, inverse, in);
    for (int k = 0; k < 6; ++k) {
        u[k] = *c * u[k];
        z[k] = *c * lane->axis[k];
    }
    return true;
}

CN_LANE_FUNCTION void write_axes(CnLinkage* links, const LaneLink* lane, const CnLanes u[6],
                                 const CnLanes z[6], CnLanes c) {
    double none[2][6], *to_u[CN_LANES], *to_z[CN_LANES];
    for (int i = 0; i < CN_LANES; ++i) {
        bool writes = lane->is_there[i] && lane->has_axis[i] != 0;
        int axis = links->first_axis[lane->link[i]];
        to_u[i] = writes ? links->u[axis] : none[0];
        to_z[i] = writes ? links->z[axis] : none[1];
        if (writes) {
            links->inverse[axis] = c[i];
        }
    }
    scatter_numbers(u, 6, to_u);
    scatter_numbers(z, 6, to_z);
}

// What the way down needs: numbers of each lane, in this order.
enum { KEPT_U = 0, KEPT_Z = 6, KEPT_TWIST = 12, KEPT_ARM = 18, KEPT_SCALED = 21, KEPT_COUNT };
_Static_assert(KEPT_COUNT == CN_LIMB_NUMBERS, "as CnLimbGroup has it");

// They go to memory one by one: a struct of them would be copied in smaller pieces.
CN_LANE_FUNCTION void keep_six(const CnLanes x[6], double* kept, int place) {
    CN_UNROLLED for (int k = 0; k < 6; ++k) {
        cn_lanes_store(x[k], kept + CN_LANES * (place + k));
    }
}

CN_LANE_FUNCTION void take_six(const double* kept, int place, CnLanes x[6]) {
    CN_UNROLLED for (int k = 0; k < 6; ++k) {
        x[k] = cn_lanes_load(kept + CN_LANES * (place + k));
    }
}

CN_LANE_FUNCTION void keep_arm(const CnLaneVec3* arm, double* kept) {
    cn_lanes_store(arm->x, kept + CN_LANES * KEPT_ARM);
    cn_lanes_store(arm->y, kept + CN_LANES * (KEPT_ARM + 1));
    cn_lanes_store(arm->z, kept + CN_LANES * (KEPT_ARM + 2));
}

CN_LANE_FUNCTION CnLaneVec3 take_arm(const double* kept) {
    return (CnLaneVec3){cn_lanes_load(kept + CN_LANES * KEPT_ARM),
                        cn_lanes_load(kept + CN_LANES * (KEPT_ARM + 1)),
                        cn_lanes_load(kept + CN_LANES * (KEPT_ARM + 2))};
}

// Where a place of a group keeps the numbers of some lanes.
CN_LANE_FUNCTION double* kept_at(const CnLimbGroup* group, int place, int first) {
    return group->kept[place] + CN_LIMB_NUMBERS * first;
}

// A limb that begins further towards the base has left nothing yet.
CN_LANE_FUNCTION void clear_lanes(CnMask exists, LaneRest* rest) {
    for (int k = 0; k < 6; ++k) {
        rest->inertia.a[k] = cn_keep(exists, rest->inertia.a[k]);
        rest->momentum[k] = cn_keep(exists, rest->momentum[k]);
    }
    for (int k = 0; k < 9; ++k) {
        rest->inertia.b[k / 3][k % 3] = cn_keep(exists, rest->inertia.b[k / 3][k % 3]);
        rest->inertia.c[k / 3][k % 3] = cn_keep(exists, rest->inertia.c[k / 3][k % 3]);
    }
}

// Stores in a row: one run of zeros in memory takes long to begin.
CN_LANE_FUNCTION void clear_rest(LaneRest* rest) {
    const CnLanes zero = cn_lanes(0.0);
    CN_UNROLLED for (int k = 0; k < 6; ++k) {
        rest->inertia.a[k] = rest->momentum[k] = zero;
    }
    CN_UNROLLED for (int k = 0; k < 9; ++k) {
        rest->inertia.b[k / 3][k % 3] = rest->inertia.c[k / 3][k % 3] = zero;
    }
}

// factor_and_pass() at one place of a group: rest is what the children left, then what the parents
// take.
CN_LANE_FUNCTION bool pass_limbs_up(CnLinkage* links, const CnLimbGroup* group, int place,
                                    int first, const double (*momentum)[6],
                                    const double (*twist)[6], const double* offset,
                                    LaneRest* rest) {
    LaneLink lane;
    double* kept = kept_at(group, place, first);
    CnLanes own[6], c_twist[6], u[6], z[6], carried[6], c, offsets = cn_lanes(0.0),
                                                           moved = cn_lanes(0.0);
    read_lanes(links, group, place, first, &lane);
    for (int k = 0; k < 6; ++k) {
        own[k] = c_twist[k] = cn_lanes(0.0);
    }
    if (momentum != NULL) {
        gather_six(momentum, &lane, own);
    }
    if (twist != NULL) {
        gather_six(twist, &lane, c_twist);
    }
    add_own_inertia(links, &lane, &rest->inertia);
    for (int k = 0; k < 6; ++k) {
        own[k] = own[k] + rest->momentum[k];
    }
    if (links->keeps_whole) {
        double none[48], *to[CN_LANES];
        for (int i = 0; i < CN_LANES; ++i) {
            to[i] = lane.is_there[i] ? links->whole[lane.link[i]] : none;
        }
        write_whole(rest, false, to);
    }
    if (twist != NULL) {
        lane_times_inertia(&rest->inertia, c_twist, carried);
        keep_six(c_twist, kept, KEPT_TWIST);
    }
    if (!eliminate_lane_axes(&lane, &rest->inertia, u, z, &c)) {
        return false;
    }
    if (!links->is_once) {
        write_axes(links, &lane, u, z, c);
    }
    for (int i = 0; offset != NULL && i < CN_LANES; ++i) {
        offsets[i] = offset[lane.axis_of[i]];
    }
    offsets = links->limbs.have_axes ? offsets : cn_keep(lane.has_axis, offsets);
    if (twist != NULL) {
        moved = lane_dot6(u, c_twist);
    }
    CnLanes scaled = offsets * c + lane_dot6(z, own), left[6];
    keep_six(u, kept, KEPT_U);
    keep_six(z, kept, KEPT_Z);
    keep_arm(&lane.arm, kept);
    cn_lanes_store(scaled, kept + CN_LANES * KEPT_SCALED);
    for (int k = 0; k < 6; ++k) {
        left[k] = own[k] + (moved - scaled) * u[k];
        left[k] = twist != NULL ? left[k] + cn_lanes(-1.0) * carried[k] : left[k];
    }
    const CnLaneVec3* arm = &lane.arm;
    lane_shift(arm, &rest->inertia);
    left[3] = left[3] + (arm->y * left[2] - arm->z * left[1]);
    left[4] = left[4] + (arm->z * left[0] - arm->x * left[2]);
    left[5] = left[5] + (arm->x * left[1] - arm->y * left[0]);
    memcpy(rest->momentum, left, sizeof left);
    if (cn_any(~lane.exists)) {
        clear_lanes(lane.exists, rest);
    }
    return true;
}

// All links of some limbs, from their tips on; what their bases leave goes to group->given.
CN_LANE_STAGE bool factor_limbs(CnLinkage* links, const CnLimbGroup* group, int first,
                                const double (*momentum)[6], const double (*twist)[6],
                                const double* offset) {
    LaneRest rest;
    double none[54], *to[CN_LANES];
    clear_rest(&rest);
    for (int place = group->length - 1; place >= 0; --place) {
        if (group->link[place][first] >= 0 &&
            !pass_limbs_up(links, group, place, first, momentum, twist, offset, &rest)) {
            return false;
        }
    }
    for (int i = 0; i < CN_LANES; ++i) {
        to[i] = first + i < group->count ? group->given[first + i] : none;
    }
    write_whole(&rest, true, to);
    return true;
}

// pass_down() of all links of some limbs, from their bases on.
CN_LANE_STAGE void solve_limbs(const CnLinkage* links, const CnLimbGroup* group, int first,
                               bool has_twist, double (*velocity)[6]) {
    static const double still[6] = {0.0};
    double none[6];
    const double* from[CN_LANES];
    CnLanes v[6];
    for (int i = 0; i < CN_LANES; ++i) {
        int base = first + i < group->count ? group->link[0][first + i] : -1;
        int parent = base < 0 ? -1 : links->parent[base];
        from[i] = parent < 0 ? still : velocity[parent];
    }
    cn_lanes_gather_many(from, 0, 6, v);
    for (int place = 0; place < group->length && group->link[place][first] >= 0; ++place) {
        const double* kept = kept_at(group, place, first);
        double* to[CN_LANES];
        CnLanes u[6], z[6], c[6];
        CnLaneVec3 arm = take_arm(kept);
        CnLanes y[6] = {v[0] + (v[4] * arm.z - v[5] * arm.y),
                        v[1] + (v[5] * arm.x - v[3] * arm.z),
                        v[2] + (v[3] * arm.y - v[4] * arm.x),
                        v[3],
                        v[4],
                        v[5]};
        if (has_twist) {
            take_six(kept, KEPT_TWIST, c);
            CN_UNROLLED for (int k = 0; k < 6; ++k) {
                y[k] = y[k] + c[k];
            }
        }
        take_six(kept, KEPT_U, u);
        take_six(kept, KEPT_Z, z);
        CnLanes own = cn_lanes_load(kept + CN_LANES * KEPT_SCALED) - lane_dot6(u, y);
        CN_UNROLLED for (int k = 0; k < 6; ++k) {
            v[k] = y[k] + own * z[k];
        }
        for (int i = 0; i < CN_LANES; ++i) {
            int link = group->link[place][first + i];
            to[i] = link >= 0 ? velocity[link] : none;
        }
        scatter_numbers(v, 6, to);
    }
}

// Whether each link of the limbs still has one axis at most: callers may change them.
CN_LANE_FUNCTION bool limbs_serve(CnLinkage* links) {
    CnLimbs* limbs = &links->limbs;
    int most = 0, least = 1;
    for (int k = 0; k < limbs->member_count; ++k) {
        int link = limbs->member[k], axes = links->first_axis[link + 1] - links->first_axis[link];
        most = axes > most ? axes : most;
        least = axes < least ? axes : least;
    }
    limbs->have_axes = least == 1;
    return limbs->group_count > 0 && most <= 1;
}

// The base of a limb is passed: its parent takes what it left, as factor_and_pass() adds it.
CN_LANE_FUNCTION void take_from_limb(CnLinkage* links, int base, const double (*momentum)[6]) {
    int parent = links->parent[base], place = links->limbs.place[base];
    if (parent < 0) {
        return;
    }
    const double* given = links->limbs.groups[place / CN_LIMBS].given[place % CN_LIMBS];
    double* sum = links->pending[links->slot[parent]];
    bool is_first = links->last_child[parent] == base;
    Blocks own = is_first ? own_inertia(links, parent) : blocks_of(sum), add = blocks_of(given);
    Six before = is_first ? momentum_of(momentum, parent) : six_of(sum + CN_LINKAGE_INERTIA);
    CN_UNROLLED for (int k = 0; k < 3; ++k) {
        own.a[k] = own.a[k] + add.a[k];
        own.b[k] = own.b[k] + add.b[k];
        own.t[k] = own.t[k] + add.t[k];
        own.c[k] = own.c[k] + add.c[k];
    }
    blocks_store(&own, sum);
    six_store(six_add(before, six_of(given + CN_LINKAGE_INERTIA)), sum + CN_LINKAGE_INERTIA);
}
