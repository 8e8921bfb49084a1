// joint_split.c - splits joints from other rows, and solves for their impulses.
#include "solvers/matrix/joint_split.h"

#include "constraints/problem/block.h"
#include "constraints/problem/islands.h"
#include "solvers/solve/solver.h"
#include <string.h>

bool cn_is_joint(const CnBlock* block) {
    return block->law == CN_LAW_EQUALITY || block->law == CN_LAW_FORCE;
}

// The node of a body in the graph of joints; immovable bodies are the world, the last node.
static int node_of(const CnProblem* problem, int body) {
    return body >= 0 && cn_body_moves(problem, body) ? body : problem->body_count;
}

static int find_root(int* parent, int node) {
    while (parent[node] != node) {
        parent[node] = parent[parent[node]];
        node = parent[node];
    }
    return node;
}

CnStatus cn_joints_have_loops(const CnProblem* problem, CnArena* arena, bool* loops) {
    CnArenaMark mark = cn_arena_mark(arena);
    int* parent = CN_ARENA_NEW(arena, int, (size_t)problem->body_count + 1);
    *loops = false;
    for (int i = 0; parent != NULL && i <= problem->body_count; ++i) {
        parent[i] = i;
    }
    for (int i = 0; parent != NULL && i < problem->block_count; ++i) {
        const CnBlock* block = &problem->blocks[i];
        if (block->law == CN_LAW_EQUALITY) {
            int a = find_root(parent, node_of(problem, block->body_a));
            int b = find_root(parent, node_of(problem, block->body_b));
            *loops = *loops || a == b || cn_block_has_second(block); // between two joints
            parent[a] = b;
        }
    }
    cn_arena_release(arena, mark);
    return parent != NULL ? CN_OK : CN_NO_MEMORY;
}

// Two sub-problems in the form of islands: joints and others, each with all bodies under their own
// numbers.
static CnStatus list_parts(const CnProblem* problem, CnArena* arena, CnIslands* parts) {
    int blocks = problem->block_count, bodies = problem->body_count, next = 0;
    *parts = (CnIslands){
        .count = 2,
        .block_start = CN_ARENA_NEW(arena, int, 3),
        .block = CN_ARENA_NEW(arena, int, blocks),
        .body_start = CN_ARENA_NEW(arena, int, 3),
        .body = CN_ARENA_NEW(arena, int, 2 * (size_t)bodies),
        .local = cn_arena_allocate(arena, (size_t)blocks, sizeof *parts->local),
    };
    if (parts->block_start == NULL || parts->block == NULL || parts->body_start == NULL ||
        parts->body == NULL || parts->local == NULL) {
        return CN_NO_MEMORY;
    }
    for (int part = 0; part < 2; ++part) {
        for (int i = 0; i < blocks; ++i) {
            if (cn_is_joint(&problem->blocks[i]) == (part == 0)) {
                for (int side = 0; side < CN_BLOCK_SIDES; ++side) {
                    parts->local[i][side] = cn_block_body(&problem->blocks[i], side);
                }
                parts->block[next++] = i;
            }
        }
        for (int i = 0; i < bodies; ++i) {
            parts->body[part * bodies + i] = i;
        }
        parts->block_start[part + 1] = next;
        parts->body_start[part + 1] = (part + 1) * bodies;
    }
    return CN_OK;
}

CnStatus cn_joint_split(const CnProblem* problem, CnArena* arena, CnJointSplit* split) {
    CnIslands parts;
    CnIslandProblem joints, others;
    CnStatus status = list_parts(problem, arena, &parts);
    if (status == CN_OK) {
        status = cn_island_extract(problem, &parts, 0, arena, &joints);
    }
    if (status == CN_OK) {
        status = cn_island_extract(problem, &parts, 1, arena, &others);
    }
    if (status == CN_OK) {
        *split = (CnJointSplit){problem, joints.problem, others.problem, joints.row, others.row};
    }
    return status;
}

static CnStatus run_direct(const CnProblem* joints, double tolerance, const CnBudget* budget,
                           CnArena* arena, CnSolution* solution, CnSolverReport* report) {
    CnSolverDef def = cn_solver_def_default();
    def.tolerance = tolerance;
    def.work_budget = budget->limit - *budget->work;
    def.deadline = budget->deadline;
    void* state = cn_arena_allocate(arena, 1, cn_solver_direct.state_size);
    CnStatus status =
        state == NULL ? CN_NO_MEMORY : cn_solver_direct.prepare(state, &def, joints, arena, NULL);
    return status == CN_OK ? cn_solver_direct.solve(state, &def, joints, arena, solution, report)
                           : status;
}

// v_free with the others' impulses.
static void push_others(const CnJointSplit* split, const double* impulse, double (*velocity)[6]) {
    const CnProblem* others = &split->others;
    memcpy(velocity, others->free_velocity, (size_t)others->body_count * sizeof *velocity);
    for (int i = 0; i < others->block_count; ++i) {
        const CnBlock* block = &others->blocks[i];
        double p[CN_MAX_ROWS];
        for (int k = 0; k < block->row_count; ++k) {
            p[k] = impulse[split->row[block->first_row + k]];
        }
        cn_block_apply(others, block, p, velocity);
    }
}

// The block of the problem that corresponds to a block of the joints.
static int block_in_problem(const CnJointSplit* split, int joint) {
    int row = joint >= 0 ? split->joint_row[split->joints.blocks[joint].first_row] : -1;
    for (int i = 0; row >= 0 && i < split->problem->block_count; ++i) {
        if (split->problem->blocks[i].first_row == row) {
            return i;
        }
    }
    return -1;
}

CnStatus cn_joint_split_solve(const CnJointSplit* split, double tolerance, const CnBudget* budget,
                              CnArena* arena, double* impulse, double (*velocity)[6],
                              CnSolverReport* out, bool* held) {
    CnArenaMark mark = cn_arena_mark(arena);
    CnProblem joints = split->joints;
    CnSolverReport report = {.outcome = CN_REFUSED, .redundant_block = -1};
    size_t bodies = (size_t)joints.body_count;
    double(*pushed)[6] = cn_arena_allocate(arena, bodies, sizeof(double[6]));
    CnSolution solution = {CN_ARENA_NEW(arena, double, joints.row_count), velocity};
    CnStatus status = pushed == NULL || solution.impulse == NULL ? CN_NO_MEMORY : CN_OK;
    if (status == CN_OK) {
        push_others(split, impulse, pushed);
        joints.free_velocity = (const double(*)[6])pushed;
        status = run_direct(&joints, tolerance, budget, arena, &solution, &report);
        cn_budget_spend(budget, report.work);
    }
    *held = status == CN_OK && report.outcome == CN_CONVERGED;
    for (int i = 0; *held && i < joints.row_count; ++i) {
        impulse[split->joint_row[i]] = solution.impulse[i];
    }
    if (*held && out != NULL && report.redundant_rows > 0) {
        out->redundant_rows = report.redundant_rows;
        out->redundant_block = block_in_problem(split, report.redundant_block);
    }
    cn_arena_release(arena, mark);
    return status;
}
