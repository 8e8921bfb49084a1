// machine_plan.c - the linkage of a problem: which blocks are joints, which act on their axes.
#include "constraints/problem/block.h"
#include "solvers/tree/machine_parts.h"

#include <math.h>
#include <string.h>

// A matrix of three by three whose determinant is below this share of its trace's cube is singular.
#define SINGULAR_SHARE 1e-9

static bool is_movable(const CnProblem* problem, int body) {
    return body >= 0 && problem->inverse_mass[body] > 0.0;
}

// The inverse of a symmetric matrix of three by three; false: it is not positive.
static bool invert(const double a[9], double out[6]) {
    double c0 = a[4] * a[8] - a[5] * a[5], c1 = a[2] * a[5] - a[1] * a[8];
    double c2 = a[1] * a[5] - a[2] * a[4];
    double determinant = a[0] * c0 + a[1] * c1 + a[2] * c2;
    double trace = a[0] + a[4] + a[8];
    if (!(determinant > 0x1p-100 * trace * trace * trace && determinant < HUGE_VAL)) {
        return false;
    }
    out[0] = c0 / determinant;
    out[1] = c1 / determinant;
    out[2] = c2 / determinant;
    out[3] = (a[0] * a[8] - a[2] * a[2]) / determinant;
    out[4] = (a[1] * a[2] - a[0] * a[5]) / determinant;
    out[5] = (a[0] * a[4] - a[1] * a[1]) / determinant;
    return true;
}

static void cross(const double a[3], const double b[3], double out[3]) {
    out[0] = a[1] * b[2] - a[2] * b[1];
    out[1] = a[2] * b[0] - a[0] * b[2];
    out[2] = a[0] * b[1] - a[1] * b[0];
}

// d of r x n = d, for a row with n at B: what its moments at A and B lack.
static void missing_moment(const CnProblem* problem, int row, double d[3]) {
    for (int k = 0; k < 3; ++k) {
        d[k] = -problem->jacobian_a[row][3 + k] - problem->jacobian_b[row][3 + k];
    }
}

// The arm from A's centre to B's that makes both sides of a block each other's reaction, by least
// squares: mechanisms.md (13). One direction leaves it open along itself, angles alone everywhere.
static void find_arm(const CnProblem* problem, const CnBlock* block, double arm[3]) {
    double a[9] = {0.0}, b[3] = {0.0}, inverse[6], longest = 0.0, d[3], t[3];
    memset(arm, 0, 3 * sizeof(double));
    for (int row = block->first_row; row < block->first_row + block->row_count; ++row) {
        const double* n = problem->jacobian_b[row];
        double square = n[0] * n[0] + n[1] * n[1] + n[2] * n[2];
        missing_moment(problem, row, d);
        cross(n, d, t);
        for (int k = 0; k < 3; ++k) {
            a[4 * k] += square;
            b[k] += t[k];
            for (int j = 0; j < 3; ++j) {
                a[3 * k + j] -= n[k] * n[j];
            }
        }
        if (square > longest) {
            longest = square;
            for (int k = 0; k < 3; ++k) {
                arm[k] = t[k] / square;
            }
        }
    }
    double trace = a[0] + a[4] + a[8];
    double determinant = a[0] * (a[4] * a[8] - a[5] * a[5]) + a[1] * (a[2] * a[5] - a[1] * a[8]) +
                         a[2] * (a[1] * a[5] - a[2] * a[4]);
    if (determinant > SINGULAR_SHARE * trace * trace * trace && invert(a, inverse)) {
        arm[0] = inverse[0] * b[0] + inverse[1] * b[1] + inverse[2] * b[2];
        arm[1] = inverse[1] * b[0] + inverse[3] * b[1] + inverse[4] * b[2];
        arm[2] = inverse[2] * b[0] + inverse[4] * b[1] + inverse[5] * b[2];
    }
}

// Whether the rows of a block depend on the relative pose alone: J_a = -J_b X.
static bool is_reaction(const CnProblem* problem, const CnBlock* block, const double arm[3]) {
    for (int row = block->first_row; row < block->first_row + block->row_count; ++row) {
        if (!cn_linkage_is_reaction(arm, problem->jacobian_b[row], problem->jacobian_a[row])) {
            return false;
        }
    }
    return true;
}

static bool is_rigid_equality(const CnProblem* problem, const CnBlock* block) {
    bool is_rigid = block->law == CN_LAW_EQUALITY;
    for (int k = 0; k < block->row_count; ++k) {
        is_rigid = is_rigid && problem->compliance[block->first_row + k] == 0.0;
    }
    return is_rigid;
}

// Edges in the making.
typedef struct Edges {
    int count;
    CnLinkageEdge* edges; // [block_count]
    int* block;           // of each edge   [block_count]
    double (*arm)[3];     // from A's centre to B's   [block_count]
} Edges;

static void list_edges(const CnProblem* problem, Edges* edges) {
    for (int i = 0; i < problem->block_count; ++i) {
        const CnBlock* block = &problem->blocks[i];
        bool has_a = is_movable(problem, block->body_a), has_b = is_movable(problem, block->body_b);
        if (!is_rigid_equality(problem, block) || !(has_a || has_b) || cn_block_has_second(block)) {
            continue;
        }
        double* arm = edges->arm[edges->count];
        memset(arm, 0, 3 * sizeof(double));
        if (has_a && has_b) {
            find_arm(problem, block, arm);
            if (!is_reaction(problem, block, arm)) {
                continue;
            }
        }
        edges->edges[edges->count] =
            (CnLinkageEdge){block->body_a, block->body_b, block->row_count};
        edges->block[edges->count++] = i;
    }
}

// The link on whose joint a block acts: its other side is the link's parent. -1: none.
static int joint_of(const CnMachine* machine, const CnBlock* block) {
    const CnProblem* problem = machine->problem;
    const int bodies[2] = {block->body_a, block->body_b};
    for (int side = 0; side < 2; ++side) {
        int body = bodies[side], other = bodies[1 - side];
        int link = is_movable(problem, body) ? machine->plan.link[body] : -1;
        int parent = is_movable(problem, other) ? machine->plan.link[other] : -1;
        if (link >= 0 && machine->kept[link] >= 0 && machine->plan.parent[link] == parent) {
            return link;
        }
    }
    return -1;
}

CnMachineSide cn_machine_side(const CnMachine* machine, int link, int block) {
    const CnProblem* problem = machine->problem;
    const CnBlock* own = &problem->blocks[block];
    bool is_a = own->body_a == machine->plan.body[link];
    return (CnMachineSide){(is_a ? problem->jacobian_a : problem->jacobian_b) + own->first_row,
                           own->first_row, own->row_count};
}

// A bounded or yielding block on the two bodies of a tree's joint, both sides each other's
// reaction.
static bool is_drive(const CnMachine* machine, const CnBlock* block, int link) {
    const CnProblem* problem = machine->problem;
    if (link < 0 || block->law == CN_LAW_COULOMB || is_rigid_equality(problem, block) ||
        cn_block_has_second(block)) {
        return false;
    }
    if (machine->plan.parent[link] < 0) {
        return true;
    }
    const double* arm = machine->links.arm[link];
    bool is_child = block->body_b == machine->plan.body[link];
    const double reversed[3] = {-arm[0], -arm[1], -arm[2]};
    return is_reaction(problem, block, is_child ? arm : reversed);
}

// Blocks that are no joint: on the axes of one, or outside.
static void sort_blocks(CnMachine* machine, const bool* is_kept) {
    const CnProblem* problem = machine->problem;
    for (int i = problem->block_count - 1; i >= 0; --i) { // so that lists are in their order
        const CnBlock* block = &problem->blocks[i];
        int link = is_kept[i] ? -1 : joint_of(machine, block);
        if (is_drive(machine, block, link)) {
            machine->next_drive[i] = machine->first_drive[link];
            machine->first_drive[link] = i;
        } else if (!is_kept[i]) {
            machine->next_drive[i] = -2;
        }
    }
    for (int i = 0; i < problem->block_count; ++i) {
        if (machine->next_drive[i] == -2) {
            machine->outer[machine->outer_count++] = i;
            machine->outer_rows += problem->blocks[i].row_count;
        }
    }
}

static bool set_links(CnMachine* machine, const Edges* edges, bool* is_kept) {
    const CnProblem* problem = machine->problem;
    CnLinkage* links = &machine->links;
    for (int i = 0; i < links->link_count; ++i) {
        int body = machine->plan.body[i], edge = machine->plan.edge[i];
        links->mass[i] = 1.0 / problem->inverse_mass[body];
        if (!invert(problem->inverse_inertia[body], links->inertia[i])) {
            return false;
        }
        machine->kept[i] = edge >= 0 ? edges->block[edge] : -1;
        machine->first_drive[i] = -1;
        double sign = edge >= 0 && edges->edges[edge].body_b == body ? 1.0 : -1.0;
        for (int k = 0; k < 3; ++k) {
            links->arm[i][k] = edge >= 0 ? sign * edges->arm[edge][k] : 0.0;
        }
        if (edge >= 0) {
            is_kept[edges->block[edge]] = true;
        }
    }
    return true;
}

static CnStatus allocate(CnMachine* machine, CnArena* arena) {
    size_t links = (size_t)machine->plan.link_count;
    size_t rows = (size_t)machine->problem->row_count,
           blocks = (size_t)machine->problem->block_count;
    machine->first_axis = CN_ARENA_NEW(arena, int, links + 1);
    machine->kept = CN_ARENA_RAW(arena, int, links);
    machine->first_drive = CN_ARENA_RAW(arena, int, links);
    machine->next_drive = CN_ARENA_NEW(arena, int, blocks);
    machine->joints = CN_ARENA_RAW(arena, CnLinkageJoint, links);
    machine->outer = CN_ARENA_RAW(arena, int, blocks);
    machine->state = CN_ARENA_RAW(arena, CnAxisState, rows);
    machine->held = CN_ARENA_RAW(arena, CnHeldRows, links);
    machine->u = CN_ARENA_RAW(arena, double, rows);
    machine->impulse = CN_ARENA_NEW(arena, double, rows);
    machine->change = CN_ARENA_NEW(arena, double, rows);
    double(** const twists[])[6] = {&machine->twist, &machine->momentum, &machine->pushed,
                                    &machine->moved, &machine->wrench};
    bool has_memory = machine->first_axis != NULL && machine->kept != NULL &&
                      machine->first_drive != NULL && machine->next_drive != NULL &&
                      machine->joints != NULL && machine->outer != NULL && machine->state != NULL &&
                      machine->held != NULL && machine->u != NULL && machine->impulse != NULL &&
                      machine->change != NULL;
    for (size_t i = 0; i < sizeof twists / sizeof twists[0]; ++i) {
        *twists[i] = cn_arena_allocate(arena, links, sizeof(double[6]));
        has_memory = has_memory && *twists[i] != NULL;
    }
    return has_memory ? CN_OK : CN_NO_MEMORY;
}

// Axes as many as there can be: rows that act leave fewer.
static CnStatus allocate_linkage(CnMachine* machine, const Edges* edges, CnArena* arena) {
    for (int i = 0; i < machine->plan.link_count; ++i) {
        int edge = machine->plan.edge[i];
        int rows = edge >= 0 ? edges->edges[edge].weight : 0;
        machine->first_axis[i + 1] = machine->first_axis[i] + 6 - rows;
    }
    machine->offset = CN_ARENA_RAW(arena, double, machine->first_axis[machine->plan.link_count]);
    CnStatus status = cn_linkage_init(&machine->links, machine->plan.link_count,
                                      machine->plan.parent, machine->first_axis, arena);
    return machine->offset == NULL ? CN_NO_MEMORY : status;
}

CnStatus cn_machine_plan(CnMachine* machine, const CnProblem* problem, CnArena* arena,
                         bool* found) {
    size_t blocks = (size_t)problem->block_count;
    Edges edges = {
        .edges = CN_ARENA_RAW(arena, CnLinkageEdge, blocks),
        .block = CN_ARENA_RAW(arena, int, blocks),
        .arm = cn_arena_allocate_raw(arena, blocks, sizeof(double[3])),
    };
    bool* moves = CN_ARENA_RAW(arena, bool, problem->body_count);
    bool* is_kept = CN_ARENA_NEW(arena, bool, blocks);
    *found = false;
    if (edges.edges == NULL || edges.block == NULL || edges.arm == NULL || moves == NULL ||
        is_kept == NULL) {
        return CN_NO_MEMORY;
    }
    for (int i = 0; i < problem->body_count; ++i) {
        moves[i] = is_movable(problem, i);
        if (moves[i] != cn_body_moves(problem, i)) {
            return CN_OK; // a body that can turn and not go
        }
    }
    machine->problem = problem;
    list_edges(problem, &edges);
    CnStatus status = cn_linkage_plan(problem->body_count, moves, edges.count, edges.edges, arena,
                                      &machine->plan);
    if (status == CN_OK) {
        status = allocate(machine, arena);
    }
    if (status == CN_OK) {
        status = allocate_linkage(machine, &edges, arena);
    }
    if (status == CN_OK && edges.count > 0) {
        *found = set_links(machine, &edges, is_kept);
    }
    if (*found) {
        sort_blocks(machine, is_kept);
    }
    return status;
}
