// tree_move.c - moves the bodies of a tree by twists.
#include "world/trees/tree_move.h"

#include "math/simd.h"
#include "world/bodies/motion.h"

// cn_quat_exp() of turns that are mostly far below a thousandth.
static CnQuat turn_by(CnVec3 turn) {
    double square = 0.25 * cn_vec3_dot(turn, turn); // of half the angle
    if (!(square < CN_SMALL_HALF_TURN)) {
        return cn_quat_exp(turn);
    }
    double sine = 0.5 - square * (0x1p-1 / 6.0 - square * (0x1p-1 / 120.0)); // by the angle
    return cn_quat(1.0 - square * (0.5 - square / 24.0), sine * turn.x, sine * turn.y,
                   sine * turn.z);
}

void cn_tree_displace_one(const CnTreeMove* move) {
    CnBodyState* state = move->state;
    const double* d = move->twist;
    CnQuat turn = turn_by(cn_vec3(d[3], d[4], d[5]));
    state->center = cn_vec3_add(state->center, cn_vec3(d[0], d[1], d[2]));
    state->rotation = cn_quat_normalize(cn_quat_multiply(turn, state->rotation));
    state->angular_velocity = cn_quat_rotate(state->rotation, *move->spin);
}

void cn_tree_displace(const CnWorld* world, const CnJointTree* tree, int begin, int end,
                      const double (*twist)[6], bool ahead, CnBodyState* states) {
    const CnTreeLink* links = world->trees->links + tree->first_link;
    for (int first = begin; first < end; first += CN_TREE_BODIES) {
        CnTreeMove moves[CN_TREE_BODIES];
        int count = end - first < CN_TREE_BODIES ? end - first : CN_TREE_BODIES;
        for (int i = 0; i < count; ++i) {
            int body = links[first + i].body;
            const CnMotion* motion = &world->step.motions.data[body];
            moves[i] = (CnTreeMove){&states[body], twist[first + i],
                                    ahead ? &motion->ahead_spin : &motion->end_spin};
        }
        unsigned left = CN_WIDEST(cn_tree_displace)(count, moves);
        for (int i = 0; left >> i != 0; ++i) {
            if ((left >> i & 1u) != 0) {
                cn_tree_displace_one(&moves[i]);
            }
        }
    }
}
