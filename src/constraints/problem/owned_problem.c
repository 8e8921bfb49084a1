// owned_problem.c - problems that own their memory: made empty, copied, destroyed.
#include "constraints/problem/owned_problem.h"

#include "base/error.h"
#include "base/memory.h"
#include "constraints/problem/masses.h"
#include <string.h>

static CnStatus check_sizes(int body_count, int block_count, int row_count, CnError* error) {
    if (body_count < 0 || block_count < 0 || row_count < 0) {
        return cn_error_set(error, CN_INVALID,
                            "a problem cannot have %d bodies, %d blocks and %d rows", body_count,
                            block_count, row_count);
    }
    if (body_count > CN_OWNED_PROBLEM_LIMIT || block_count > CN_OWNED_PROBLEM_LIMIT ||
        row_count > CN_OWNED_PROBLEM_LIMIT * CN_MAX_ROWS) {
        return cn_error_set(error, CN_NO_MEMORY,
                            "%d bodies, %d blocks and %d rows are more than a problem may have "
                            "(%d bodies or blocks, %d rows)",
                            body_count, block_count, row_count, CN_OWNED_PROBLEM_LIMIT,
                            CN_OWNED_PROBLEM_LIMIT * CN_MAX_ROWS);
    }
    return CN_OK;
}

static bool allocate_arrays(CnOwnedProblem* owned, CnArena* arena, int body_count, int block_count,
                            int row_count) {
    owned->jacobian_c = owned->jacobian_d = NULL;
    owned->inverse_mass = CN_ARENA_NEW(arena, double, body_count);
    owned->inverse_inertia = cn_arena_allocate(arena, (size_t)body_count, sizeof(double[9]));
    owned->free_velocity = cn_arena_allocate(arena, (size_t)body_count, sizeof(double[6]));
    owned->blocks = CN_ARENA_NEW(arena, CnBlock, block_count);
    owned->jacobian_a = cn_arena_allocate(arena, (size_t)row_count, sizeof(double[6]));
    owned->jacobian_b = cn_arena_allocate(arena, (size_t)row_count, sizeof(double[6]));
    owned->target = CN_ARENA_NEW(arena, double, row_count);
    owned->compliance = CN_ARENA_NEW(arena, double, row_count);
    owned->lower = CN_ARENA_NEW(arena, double, row_count);
    owned->upper = CN_ARENA_NEW(arena, double, row_count);
    owned->offset = CN_ARENA_NEW(arena, double, row_count);
    owned->slope = CN_ARENA_NEW(arena, double, row_count);
    owned->block_names = CN_ARENA_NEW(arena, const char*, block_count);

    return owned->inverse_mass != NULL && owned->inverse_inertia != NULL &&
           owned->free_velocity != NULL && owned->blocks != NULL && owned->jacobian_a != NULL &&
           owned->jacobian_b != NULL && owned->target != NULL && owned->compliance != NULL &&
           owned->lower != NULL && owned->upper != NULL && owned->offset != NULL &&
           owned->slope != NULL && owned->block_names != NULL;
}

static void refresh_view(CnOwnedProblem* owned, int body_count, int block_count, int row_count) {
    owned->problem = (CnProblem){
        .body_count = body_count,
        .block_count = block_count,
        .row_count = row_count,
        .inverse_mass = owned->inverse_mass,
        .inverse_inertia = (const double(*)[9])owned->inverse_inertia,
        .free_velocity = (const double(*)[6])owned->free_velocity,
        .blocks = owned->blocks,
        .jacobian_a = (const double(*)[6])owned->jacobian_a,
        .jacobian_b = (const double(*)[6])owned->jacobian_b,
        .target = owned->target,
        .compliance = owned->compliance,
        .lower = owned->lower,
        .upper = owned->upper,
        .offset = owned->offset,
        .slope = owned->slope,
        .block_names = owned->block_names,
    };
}

bool cn_owned_problem_init(CnOwnedProblem* owned, CnArena* arena, int body_count, int block_count,
                           int row_count) {
    if (!allocate_arrays(owned, arena, body_count, block_count, row_count)) {
        return false;
    }
    refresh_view(owned, body_count, block_count, row_count);
    return true;
}

bool cn_owned_problem_add_second(CnOwnedProblem* owned, CnArena* arena) {
    size_t rows = (size_t)owned->problem.row_count;
    owned->jacobian_c = cn_arena_allocate(arena, rows, sizeof(double[6]));
    owned->jacobian_d = cn_arena_allocate(arena, rows, sizeof(double[6]));
    owned->problem.jacobian_c = (const double(*)[6])owned->jacobian_c;
    owned->problem.jacobian_d = (const double(*)[6])owned->jacobian_d;
    return owned->jacobian_c != NULL && owned->jacobian_d != NULL;
}

CnOwnedProblem* cn_owned_problem_create(int body_count, int block_count, int row_count,
                                        CnError* error) {
    if (check_sizes(body_count, block_count, row_count, error) != CN_OK) {
        return NULL;
    }
    CnOwnedProblem* owned = cn_allocate(NULL, 1, sizeof *owned);
    if (owned == NULL) {
        cn_error_set(error, CN_NO_MEMORY, "no memory for a problem");
        return NULL;
    }
    cn_arena_init(&owned->arena, NULL);
    if (!cn_owned_problem_init(owned, &owned->arena, body_count, block_count, row_count)) {
        cn_owned_problem_destroy(owned);
        cn_error_set(error, CN_NO_MEMORY,
                     "no memory for a problem of %d bodies, %d blocks and %d rows", body_count,
                     block_count, row_count);
        return NULL;
    }
    return owned;
}

CnStatus cn_owned_problem_name_block(CnOwnedProblem* owned, int block, const char* name,
                                     CnError* error) {
    CN_ASSERT(block >= 0 && block < owned->problem.block_count);
    if (name == NULL) {
        owned->block_names[block] = NULL;
        return CN_OK;
    }
    size_t size = strlen(name) + 1;
    char* copy = CN_ARENA_NEW(&owned->arena, char, size);
    if (copy == NULL) {
        return cn_error_set(error, CN_NO_MEMORY, "no memory for the name of block %d", block);
    }
    memcpy(copy, name, size);
    owned->block_names[block] = copy;
    return CN_OK;
}

// memcpy that allows NULL arrays of no elements.
static void copy_array(void* to, const void* from, int count, size_t size) {
    if (count > 0) {
        memcpy(to, from, (size_t)count * size);
    }
}

void cn_owned_problem_copy_numbers(CnOwnedProblem* owned, const CnProblem* problem) {
    int bodies = problem->body_count;
    int rows = problem->row_count;
    int rigid_bodies = problem->masses == NULL ? bodies : 0; // masses may do without
    owned->problem.friction_model = problem->friction_model;
    owned->problem.impulse_limit = problem->impulse_limit;
    owned->problem.pyramid_sides = problem->pyramid_sides;
    copy_array(owned->inverse_mass, problem->inverse_mass, rigid_bodies, sizeof(double));
    copy_array(owned->inverse_inertia, problem->inverse_inertia, rigid_bodies, sizeof(double[9]));
    copy_array(owned->free_velocity, problem->free_velocity, bodies, sizeof(double[6]));
    copy_array(owned->blocks, problem->blocks, problem->block_count, sizeof(CnBlock));
    int jacobian_rows = problem->response == NULL && problem->masses == NULL ? rows : 0;
    copy_array(owned->jacobian_a, problem->jacobian_a, jacobian_rows, sizeof(double[6]));
    copy_array(owned->jacobian_b, problem->jacobian_b, jacobian_rows, sizeof(double[6]));
    int second_rows = problem->jacobian_c != NULL ? jacobian_rows : 0;
    copy_array(owned->jacobian_c, problem->jacobian_c, second_rows, sizeof(double[6]));
    copy_array(owned->jacobian_d, problem->jacobian_d, second_rows, sizeof(double[6]));
    copy_array(owned->target, problem->target, rows, sizeof(double));
    copy_array(owned->compliance, problem->compliance, rows, sizeof(double));
    copy_array(owned->lower, problem->lower, rows, sizeof(double));
    copy_array(owned->upper, problem->upper, rows, sizeof(double));
    copy_array(owned->offset, problem->offset, rows, sizeof(double));
    copy_array(owned->slope, problem->slope, rows, sizeof(double));
}

static CnStatus copy_response(CnArena* arena, const CnResponse* from, int rows, CnResponse* to,
                              CnError* error) {
    int entries = from->start[rows];
    int* start = CN_ARENA_NEW(arena, int, (size_t)rows + 1);
    int* column = CN_ARENA_NEW(arena, int, entries);
    double* value = CN_ARENA_NEW(arena, double, entries);
    if (start == NULL || column == NULL || value == NULL) {
        return cn_error_set(error, CN_NO_MEMORY, "no memory for a response of %d entries", entries);
    }
    copy_array(start, from->start, rows + 1, sizeof(int));
    copy_array(column, from->column, entries, sizeof(int));
    copy_array(value, from->value, entries, sizeof(double));
    *to = (CnResponse){start, column, value};
    return CN_OK;
}

CnStatus cn_owned_problem_give_response(CnOwnedProblem* owned, const CnResponse* response,
                                        CnError* error) {
    CnStatus status =
        copy_response(&owned->arena, response, owned->problem.row_count, &owned->response, error);
    owned->problem.response = status == CN_OK ? &owned->response : NULL;
    return status;
}

CnStatus cn_owned_problem_give_masses(CnOwnedProblem* owned, const CnMassesDef* def,
                                      CnError* error) {
    CnMassesDef own = *def;
    own.blocks = owned->blocks;
    own.block_count = owned->problem.block_count;
    CnError why;
    owned->masses = cn_masses_create(&own, &why);
    owned->problem.masses = owned->masses;
    return owned->masses != NULL ? CN_OK : cn_error_set(error, why.status, "%s", why.message);
}

static CnResponse view(const CnSparseRows* matrix) {
    return (CnResponse){matrix->start, matrix->column, matrix->value};
}

static CnStatus copy_masses(CnOwnedProblem* owned, const CnMasses* masses, CnError* error) {
    CnMassesDef def = {.coordinate_count = masses->coordinate_count,
                       .mass = view(&masses->mass),
                       .jacobian = view(&masses->jacobian)};
    return cn_owned_problem_give_masses(owned, &def, error);
}

static CnStatus copy_names(CnOwnedProblem* owned, const CnProblem* problem, CnError* error) {
    CnStatus status = CN_OK;
    for (int i = 0; problem->block_names != NULL && i < problem->block_count; ++i) {
        if (status == CN_OK) {
            status = cn_owned_problem_name_block(owned, i, problem->block_names[i], error);
        }
    }
    return status;
}

CnOwnedProblem* cn_problem_copy(const CnProblem* problem, CnError* error) {
    CnOwnedProblem* owned = cn_owned_problem_create(problem->body_count, problem->block_count,
                                                    problem->row_count, error);
    if (owned == NULL) {
        return NULL;
    }
    if (problem->jacobian_c != NULL && !cn_owned_problem_add_second(owned, &owned->arena)) {
        cn_owned_problem_destroy(owned);
        cn_error_set(error, CN_NO_MEMORY, "no memory for a problem");
        return NULL;
    }
    cn_owned_problem_copy_numbers(owned, problem);
    CnStatus status = copy_names(owned, problem, error);
    if (status == CN_OK && problem->response != NULL) {
        status = cn_owned_problem_give_response(owned, problem->response, error);
    }
    if (status == CN_OK && problem->masses != NULL) {
        status = copy_masses(owned, problem->masses, error);
    }
    if (status != CN_OK) {
        cn_owned_problem_destroy(owned);
        return NULL;
    }
    return owned;
}

const CnProblem* cn_owned_problem_get(const CnOwnedProblem* owned) {
    return &owned->problem;
}

void cn_owned_problem_destroy(CnOwnedProblem* owned) {
    if (owned != NULL) {
        cn_masses_destroy(owned->masses);
        cn_arena_destroy(&owned->arena);
        cn_release(NULL, owned);
    }
}
