// machine_outer.c - rows that act on a machine from outside: loops, contacts, gears.
#include "constraints/problem/block.h"
#include "linalg/dense.h"
#include "solvers/solve/report_parts.h"
#include "solvers/solve/solver.h"
#include "solvers/tree/machine_parts.h"

#include <math.h>
#include <string.h>

// As in `direct`: rows of loops with less left of their W count as dependent.
#define LEAST_SHARE 0x1p-33

// The link on a side of a block, -1: none.
static int link_on(const CnMachine* machine, const CnBlock* block, int side) {
    int body = cn_block_body(block, side);
    return body < 0 ? -1 : machine->plan.link[body];
}

static void order_blocks(const CnMachine* machine, CnOuterRows* outer) {
    int count = 0;
    for (int pass = 0; pass < 2; ++pass) {
        for (int k = 0; k < machine->outer_count; ++k) {
            const CnBlock* block = &machine->problem->blocks[machine->outer[k]];
            if ((block->law == CN_LAW_EQUALITY) == (pass == 0)) {
                outer->block[count++] = machine->outer[k];
                outer->equalities += pass == 0 ? block->row_count : 0;
            }
        }
        outer->first_law = pass == 0 ? count : outer->first_law;
    }
}

static void fill_row(const CnMachine* machine, const CnBlock* block, int row, int i,
                     CnOuterRows* outer) {
    double* y = outer->y + (size_t)i * (size_t)outer->axes;
    outer->b[i] = machine->u[row];
    outer->before[i] = machine->impulse[row];
    outer->p[i] = machine->guess[row];
    for (int side = 0; side < cn_block_sides(block); ++side) {
        int link = link_on(machine, block, side);
        if (link >= 0) {
            const double* jacobian = cn_block_jacobian(machine->problem, row, side);
            cn_linkage_push(&machine->links, link, jacobian, y);
            outer->b[i] += cn_dot6(jacobian, machine->moved[link]);
        }
    }
}

// Y, W = Y Y^T with the compliance of equalities, b and the impulses to start from.
static void fill(const CnMachine* machine, CnOuterRows* outer) {
    int i = 0;
    for (int k = 0; k < machine->outer_count; ++k) {
        const CnBlock* block = &machine->problem->blocks[outer->block[k]];
        for (int row = 0; row < block->row_count; ++row, ++i) {
            fill_row(machine, block, block->first_row + row, i, outer);
        }
    }
    for (i = 0; i < outer->n; ++i) {
        for (int j = 0; j <= i; ++j) {
            double w = cn_dense_dot(outer->axes, outer->y + (size_t)i * (size_t)outer->axes,
                                    outer->y + (size_t)j * (size_t)outer->axes);
            outer->w[i * outer->n + j] = outer->w[j * outer->n + i] = w;
        }
    }
    i = 0;
    for (int k = 0; k < outer->first_law; ++k) {
        const CnBlock* block = &machine->problem->blocks[outer->block[k]];
        for (int row = 0; row < block->row_count; ++row, ++i) {
            outer->w[i * outer->n + i] += machine->problem->compliance[block->first_row + row];
        }
    }
}

// What is left of the other rows when the equalities answer at once: mechanisms.md (18). reply:
// W_ee^-1 (W_en, b_e), a column after the other   [(n - equalities + 1) * equalities]
static void eliminate_equalities(const CnDenseLdlt* ldlt, CnOuterRows* outer, double* reply) {
    int n = outer->n, e = outer->equalities;
    for (int j = e; j <= n; ++j) {
        double* x = reply + (size_t)(j - e) * (size_t)e;
        for (int i = 0; i < e; ++i) {
            x[i] = j < n ? outer->w[i * n + j] : outer->b[i];
        }
        cn_dense_ldlt_solve(ldlt, x, x);
    }
    for (int i = e; i < n; ++i) {
        const double* row = outer->w + (size_t)i * (size_t)n;
        for (int j = e; j <= i; ++j) {
            double less = cn_dense_dot(e, row, reply + (size_t)(j - e) * (size_t)e);
            outer->w[i * n + j] -= less;
            outer->w[j * n + i] = outer->w[i * n + j];
        }
        outer->b[i] -= cn_dense_dot(e, row, reply + (size_t)(n - e) * (size_t)e);
    }
}

// The impulses of the equalities for those of the others.
static void answer_equalities(CnOuterRows* outer, const double* reply) {
    int n = outer->n, e = outer->equalities;
    for (int i = 0; i < e; ++i) {
        double change = -reply[(size_t)(n - e) * (size_t)e + (size_t)i];
        for (int j = e; j < n; ++j) {
            change -=
                reply[(size_t)(j - e) * (size_t)e + (size_t)i] * (outer->p[j] - outer->before[j]);
        }
        outer->p[i] = outer->before[i] + change;
    }
}

// The rows outside that are no equalities as a problem without bodies.
typedef struct Condensed {
    CnProblem problem;
    CnResponse response;
    CnBlock* blocks;
    double* numbers[6]; // target, compliance, lower, upper, offset, slope
    double* w;
    int *start, *column;
} Condensed;

static CnStatus allocate_condensed(int blocks, size_t n, CnArena* arena, Condensed* to) {
    to->blocks = CN_ARENA_RAW(arena, CnBlock, blocks);
    to->start = CN_ARENA_RAW(arena, int, n + 1);
    to->column = CN_ARENA_RAW(arena, int, n* n);
    to->w = CN_ARENA_RAW(arena, double, n* n);
    bool has_memory =
        to->blocks != NULL && to->start != NULL && to->column != NULL && to->w != NULL;
    for (int k = 0; k < 6; ++k) {
        to->numbers[k] = CN_ARENA_RAW(arena, double, n);
        has_memory = has_memory && to->numbers[k] != NULL;
    }
    return has_memory ? CN_OK : CN_NO_MEMORY;
}

static void write_response(const CnOuterRows* outer, Condensed* to) {
    int e = outer->equalities, n = outer->n - e;
    for (int i = 0; i <= n; ++i) {
        to->start[i] = i * n;
        for (int j = 0; i < n && j < n; ++j) {
            to->column[i * n + j] = j;
            to->w[i * n + j] = outer->w[(e + i) * outer->n + e + j];
        }
    }
    to->response = (CnResponse){to->start, to->column, to->w};
}

// u = W p - target + compliance p with the target that gives b at the impulses so far.
static void write_condensed(const CnProblem* from, const CnOuterRows* outer, Condensed* to) {
    const double* const sources[6] = {NULL,        from->compliance, from->lower,
                                      from->upper, from->offset,     from->slope};
    int e = outer->equalities, n = outer->n - e, i = 0;
    write_response(outer, to);
    for (int k = outer->first_law; k < outer->block_count; ++k) {
        const CnBlock* block = &from->blocks[outer->block[k]];
        CnBlock* own = &to->blocks[k - outer->first_law];
        *own = *block;
        own->first_row = i;
        own->body_a = own->body_b = -1;
        own->second[0] = own->second[1] = 0;
        for (int row = block->first_row; row < block->first_row + block->row_count; ++row, ++i) {
            to->numbers[0][i] = cn_dense_dot(n, to->w + (size_t)i * (size_t)n, outer->before + e) +
                                from->compliance[row] * outer->before[e + i] - outer->b[e + i];
            for (int j = 1; j < 6; ++j) {
                to->numbers[j][i] = sources[j][row];
            }
        }
    }
    to->problem = (CnProblem){
        .block_count = outer->block_count - outer->first_law,
        .row_count = n,
        .blocks = to->blocks,
        .target = to->numbers[0],
        .compliance = to->numbers[1],
        .lower = to->numbers[2],
        .upper = to->numbers[3],
        .offset = to->numbers[4],
        .slope = to->numbers[5],
        .response = &to->response,
    };
}

CnStatus cn_outer_solve_condensed(const CnProblem* problem, const CnSolverDef* def,
                                  CnOuterRows* outer, CnArena* arena, CnSolverReport* report,
                                  bool* found) {
    Condensed condensed;
    CnSolverDef own = *def;
    CnSolverReport said = {.redundant_block = -1, .error = HUGE_VAL};
    CnError error = {0};
    double none[1][6];
    CnSolution solution = {outer->p + outer->equalities, none};
    CnStatus status = cn_outer_newton(problem, def, outer, arena, report, found);
    if (status != CN_OK || *found || outer->is_near) {
        return status;
    }
    own.name = cn_solver_auto.info.name;
    own.work_budget = def->work_budget - report->work; // some is left: no step takes all of it
    status = allocate_condensed(outer->block_count - outer->first_law,
                                (size_t)(outer->n - outer->equalities), arena, &condensed);
    void* state = cn_arena_allocate(arena, 1, cn_solver_auto.state_size);
    if (status != CN_OK || state == NULL) {
        return CN_NO_MEMORY;
    }
    write_condensed(problem, outer, &condensed);
    status = cn_solver_auto.prepare(state, &own, &condensed.problem, arena, &error);
    if (status == CN_OK) {
        status = cn_solver_auto.solve(state, &own, &condensed.problem, arena, &solution, &said);
    }
    report->work += said.work;
    report->iterations += said.iterations;
    cn_report_add_parts(report, &said);
    *found =
        status == CN_OK && cn_certificate_error(&said.certificate, def->measure) <= def->tolerance;
    return status == CN_UNSUPPORTED ? CN_OK : status;
}

bool cn_outer_is_independent(const CnDenseLdlt* ldlt) {
    bool is_regular = ldlt->rank == ldlt->n;
    for (int k = 0; is_regular && k < ldlt->n; ++k) {
        is_regular =
            ldlt->factor[(size_t)k * (size_t)ldlt->n + (size_t)k] > LEAST_SHARE * ldlt->scale[k];
    }
    return is_regular;
}

// Whether every equality moves what the trees leave free by more than round-off, as a share of what
// it would move of its bodies alone. W of a row that the trees answer already is round-off, which
// tells nothing of its dependence.
static bool have_responses(const CnMachine* machine, const CnOuterRows* outer) {
    bool have_responses = true;
    int i = 0;
    for (int k = 0; k < outer->first_law; ++k) {
        const CnBlock* block = &machine->problem->blocks[outer->block[k]];
        double alone[CN_MAX_ROWS * CN_MAX_ROWS];
        cn_block_delassus(machine->problem, block, alone);
        for (int row = 0; row < block->row_count; ++row, ++i) {
            have_responses =
                have_responses &&
                outer->w[i * outer->n + i] > LEAST_SHARE * alone[row * (block->row_count + 1)];
        }
    }
    return have_responses;
}

// Equalities by one factor, the others on what these leave. Equalities that depend on each other
// are left to `direct`, which shares their load and names them.
static CnStatus solve_rows(const CnMachine* machine, const CnSolverDef* def, CnOuterRows* outer,
                           CnArena* arena, CnSolverReport* report, bool* found) {
    CnDenseLdlt ldlt;
    int e = outer->equalities;
    size_t others = (size_t)(outer->n - e);
    double* a = CN_ARENA_RAW(arena, double, e* e);
    double* reply = CN_ARENA_RAW(arena, double, (others + 1) * (size_t)e);
    CnStatus status = cn_dense_ldlt_init(&ldlt, e, arena);
    if (a == NULL || reply == NULL || status != CN_OK) {
        return CN_NO_MEMORY;
    }
    for (int i = 0; i < e; ++i) {
        memcpy(a + i * e, outer->w + i * outer->n, (size_t)e * sizeof(double));
    }
    cn_dense_ldlt_factor(&ldlt, a);
    *found = have_responses(machine, outer) && cn_outer_is_independent(&ldlt);
    if (*found) {
        eliminate_equalities(&ldlt, outer, reply);
        status = others == 0
                     ? CN_OK
                     : cn_outer_solve_condensed(machine->problem, def, outer, arena, report, found);
        answer_equalities(outer, reply);
    }
    return status;
}

static void note_changes(CnMachine* machine, const CnOuterRows* outer) {
    int i = 0;
    for (int k = 0; k < machine->outer_count; ++k) {
        const CnBlock* block = &machine->problem->blocks[outer->block[k]];
        for (int row = block->first_row; row < block->first_row + block->row_count; ++row, ++i) {
            machine->change[row] = outer->p[i] - outer->before[i];
        }
    }
}

// What the changes of the rows outside give each link.
static void push_links(CnMachine* machine) {
    for (int k = 0; k < machine->outer_count; ++k) {
        const CnBlock* block = &machine->problem->blocks[machine->outer[k]];
        for (int row = block->first_row; row < block->first_row + block->row_count; ++row) {
            for (int side = 0; side < cn_block_sides(block); ++side) {
                int link = link_on(machine, block, side);
                for (int j = 0; link >= 0 && j < 6; ++j) {
                    machine->pushed[link][j] +=
                        machine->change[row] * cn_block_jacobian(machine->problem, row, side)[j];
                }
            }
        }
    }
}

static CnStatus solve_dense(CnMachine* machine, const CnSolverDef* def, CnArena* arena,
                            CnSolverReport* report, bool* found) {
    size_t n = (size_t)machine->outer_rows, axes = (size_t)machine->links.axis_count;
    double work = (double)(n * n * axes);
    if (report->work + work >= def->work_budget) {
        *found = false;
        return CN_OK;
    }
    report->work += work;
    CnOuterRows outer = {
        .n = (int)n,
        .axes = (int)axes,
        .block_count = machine->outer_count,
        .is_near = machine->is_near,
        .block = CN_ARENA_RAW(arena, int, machine->outer_count),
        .y = CN_ARENA_NEW(arena, double, n* axes),
        .w = CN_ARENA_RAW(arena, double, n* n),
        .b = CN_ARENA_RAW(arena, double, n),
        .before = CN_ARENA_RAW(arena, double, n),
        .p = CN_ARENA_RAW(arena, double, n),
    };
    if (outer.block == NULL || outer.y == NULL || outer.w == NULL || outer.b == NULL ||
        outer.before == NULL || outer.p == NULL) {
        return CN_NO_MEMORY;
    }
    order_blocks(machine, &outer);
    fill(machine, &outer);
    CnStatus status = solve_rows(machine, def, &outer, arena, report, found);
    if (status == CN_OK && *found) {
        note_changes(machine, &outer);
    }
    return status;
}

CnStatus cn_machine_solve_outer(CnMachine* machine, const CnSolverDef* def, CnArena* arena,
                                CnSolverReport* report, bool* found) {
    CnStatus status = machine->is_swept ? cn_machine_sweep_outer(machine, def, arena, report, found)
                                        : solve_dense(machine, def, arena, report, found);
    if (status == CN_OK && *found) {
        push_links(machine);
    }
    return status;
}
