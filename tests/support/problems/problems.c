// problems.c - small problems for tests, built row by row.
#include "support/problems/problems.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ROWS_OF_TWO_BODIES 12

static void* grow(void* old, int old_count, int new_count, size_t size) {
    char* memory = realloc(old, (size_t)new_count * size);
    if (memory == NULL) {
        fprintf(stderr, "problems.c: no memory\n");
        exit(EXIT_FAILURE);
    }
    memset(memory + (size_t)old_count * size, 0, (size_t)(new_count - old_count) * size);
    return memory;
}

#define GROW(array, old_count, new_count)                                                          \
    ((array) = grow((array), (old_count), (new_count), sizeof *(array)))

static int larger_capacity(int capacity, int wanted) {
    int doubled = capacity < 8 ? 8 : 2 * capacity;
    return doubled > wanted ? doubled : wanted;
}

static void reserve_bodies(Problem* problem, int wanted) {
    int old = problem->body_capacity;
    if (wanted <= old) {
        return;
    }
    int capacity = larger_capacity(old, wanted);
    GROW(problem->inverse_mass, old, capacity);
    GROW(problem->inverse_inertia, old, capacity);
    GROW(problem->free_velocity, old, capacity);
    GROW(problem->velocity, old, capacity);
    problem->body_capacity = capacity;
}

static void reserve_blocks(Problem* problem, int wanted) {
    int old = problem->block_capacity;
    if (wanted <= old) {
        return;
    }
    int capacity = larger_capacity(old, wanted);
    GROW(problem->blocks, old, capacity);
    if (problem->block_names != NULL) {
        GROW(problem->block_names, old, capacity);
    }
    problem->block_capacity = capacity;
}

static void reserve_rows(Problem* problem, int wanted) {
    int old = problem->row_capacity;
    if (wanted <= old) {
        return;
    }
    int capacity = larger_capacity(old, wanted);
    GROW(problem->jacobian_a, old, capacity);
    GROW(problem->jacobian_b, old, capacity);
    if (problem->jacobian_c != NULL) {
        GROW(problem->jacobian_c, old, capacity);
        GROW(problem->jacobian_d, old, capacity);
    }
    GROW(problem->target, old, capacity);
    GROW(problem->compliance, old, capacity);
    GROW(problem->lower, old, capacity);
    GROW(problem->upper, old, capacity);
    GROW(problem->offset, old, capacity);
    GROW(problem->slope, old, capacity);
    GROW(problem->impulse, old, capacity);
    problem->row_capacity = capacity;
}

void problem_free(Problem* problem) {
    free(problem->inverse_mass);
    free(problem->inverse_inertia);
    free(problem->free_velocity);
    free(problem->velocity);
    free(problem->blocks);
    free(problem->block_names);
    free(problem->jacobian_a);
    free(problem->jacobian_b);
    free(problem->jacobian_c);
    free(problem->jacobian_d);
    free(problem->target);
    free(problem->compliance);
    free(problem->lower);
    free(problem->upper);
    free(problem->offset);
    free(problem->slope);
    free(problem->impulse);
    *problem = (Problem){0};
}

int problem_add_body(Problem* problem, double inverse_mass, double inverse_inertia) {
    int body = problem->body_count;
    reserve_bodies(problem, body + 1);
    problem->body_count = body + 1;
    problem->inverse_mass[body] = inverse_mass;
    for (int axis = 0; axis < 3; ++axis) {
        problem->inverse_inertia[body][4 * axis] = inverse_inertia;
    }
    return body;
}

int problem_add_block(Problem* problem, CnLaw law, int row_count, int body_a, int body_b) {
    int block = problem->block_count;
    int first_row = problem->row_count;
    reserve_blocks(problem, block + 1);
    reserve_rows(problem, first_row + row_count);
    problem->block_count = block + 1;
    problem->row_count = first_row + row_count;
    problem->blocks[block] = (CnBlock){.law = law,
                                       .first_row = first_row,
                                       .row_count = row_count,
                                       .body_a = body_a,
                                       .body_b = body_b,
                                       .key = (uint64_t)block};
    for (int row = first_row; row < problem->row_count; ++row) {
        problem->upper[row] = (double)INFINITY;
    }
    return block;
}

void problem_name_block(Problem* problem, int block, const char* name) {
    if (problem->block_names == NULL) {
        GROW(problem->block_names, 0, problem->block_capacity);
    }
    problem->block_names[block] = name;
}

void problem_add_second(Problem* problem, int block, int body_c, int body_d) {
    if (problem->jacobian_c == NULL) {
        GROW(problem->jacobian_c, 0, problem->row_capacity);
        GROW(problem->jacobian_d, 0, problem->row_capacity);
    }
    problem->blocks[block].second[0] = body_c + 1;
    problem->blocks[block].second[1] = body_d + 1;
}

static int body_of_row(const Problem* problem, int row, int side) {
    for (int i = 0; i < problem->block_count; ++i) {
        const CnBlock* block = &problem->blocks[i];
        if (row >= block->first_row && row < block->first_row + block->row_count) {
            return side == 0 ? block->body_a : block->body_b;
        }
    }
    return -1;
}

static void write_side(double jacobian[6], double sign, CnVec3 direction, CnVec3 arm) {
    CnVec3 turn = cn_vec3_cross(arm, direction);
    double side[6] = {direction.x, direction.y, direction.z, turn.x, turn.y, turn.z};
    for (int i = 0; i < 6; ++i) {
        jacobian[i] = sign * side[i];
    }
}

void problem_set_row(Problem* problem, int row, CnVec3 direction, CnVec3 arm_a, CnVec3 arm_b) {
    if (body_of_row(problem, row, 0) >= 0) {
        write_side(problem->jacobian_a[row], -1.0, direction, arm_a);
    }
    if (body_of_row(problem, row, 1) >= 0) {
        write_side(problem->jacobian_b[row], 1.0, direction, arm_b);
    }
}

int problem_add_contact(Problem* problem, int body_a, int body_b, CnVec3 arm_a, CnVec3 arm_b,
                        double friction) {
    int block = problem_add_block(problem, CN_LAW_COULOMB, 3, body_a, body_b);
    int row = problem->blocks[block].first_row;
    problem->blocks[block].friction = friction;
    problem_set_row(problem, row, cn_vec3(0.0, 0.0, 1.0), arm_a, arm_b);
    problem_set_row(problem, row + 1, cn_vec3(1.0, 0.0, 0.0), arm_a, arm_b);
    problem_set_row(problem, row + 2, cn_vec3(0.0, 1.0, 0.0), arm_a, arm_b);
    return block;
}

int problem_add_point_joint(Problem* problem, int body_a, int body_b, CnVec3 arm_a, CnVec3 arm_b) {
    int block = problem_add_block(problem, CN_LAW_EQUALITY, 3, body_a, body_b);
    int row = problem->blocks[block].first_row;
    problem_set_row(problem, row, cn_vec3(1.0, 0.0, 0.0), arm_a, arm_b);
    problem_set_row(problem, row + 1, cn_vec3(0.0, 1.0, 0.0), arm_a, arm_b);
    problem_set_row(problem, row + 2, cn_vec3(0.0, 0.0, 1.0), arm_a, arm_b);
    return block;
}

// Cholesky by rows; a pivot that is not positive leaves its column zero (dependent row).
static void factor(int n, const double* a, double (*l)[ROWS_OF_TWO_BODIES]) {
    for (int i = 0; i < n; ++i) {
        for (int j = 0; j <= i; ++j) {
            double sum = a[i * n + j];
            for (int k = 0; k < j; ++k) {
                sum -= l[i][k] * l[j][k];
            }
            if (i == j) {
                l[i][i] = sum > 1e-12 * a[i * n + i] ? sqrt(sum) : 0.0;
            } else {
                l[i][j] = l[j][j] > 0.0 ? sum / l[j][j] : 0.0;
            }
        }
    }
}

void problem_from_matrix(Problem* problem, CnLaw law, int n, const double* a, const double* b) {
    double l[ROWS_OF_TWO_BODIES][ROWS_OF_TWO_BODIES] = {{0}};
    if (n > ROWS_OF_TWO_BODIES) {
        fprintf(stderr, "problem_from_matrix: %d rows are more than two bodies can carry\n", n);
        exit(EXIT_FAILURE);
    }
    factor(n, a, l);
    int body_a = problem_add_body(problem, 1.0, 1.0);
    int body_b = problem_add_body(problem, 1.0, 1.0);
    for (int i = 0; i < n; ++i) {
        int block = problem_add_block(problem, law, 1, body_a, body_b); // may move the blocks
        int row = problem->blocks[block].first_row;
        memcpy(problem->jacobian_a[row], &l[i][0], 6 * sizeof(double));
        memcpy(problem->jacobian_b[row], &l[i][6], 6 * sizeof(double));
        problem->target[row] = b[i];
    }
}

const CnProblem* problem_view(Problem* problem) {
    problem->view = (CnProblem){.body_count = problem->body_count,
                                .block_count = problem->block_count,
                                .row_count = problem->row_count,
                                .inverse_mass = problem->inverse_mass,
                                .inverse_inertia = (const double(*)[9])problem->inverse_inertia,
                                .free_velocity = (const double(*)[6])problem->free_velocity,
                                .blocks = problem->blocks,
                                .jacobian_a = (const double(*)[6])problem->jacobian_a,
                                .jacobian_b = (const double(*)[6])problem->jacobian_b,
                                .jacobian_c = (const double(*)[6])problem->jacobian_c,
                                .jacobian_d = (const double(*)[6])problem->jacobian_d,
                                .target = problem->target,
                                .compliance = problem->compliance,
                                .lower = problem->lower,
                                .upper = problem->upper,
                                .offset = problem->offset,
                                .slope = problem->slope,
                                .block_names = problem->block_names};
    return &problem->view;
}

CnSolution problem_solution(Problem* problem) {
    for (int row = 0; row < problem->row_count; ++row) {
        problem->impulse[row] = 0.0;
    }
    for (int i = 0; i < 6 * problem->body_count; ++i) {
        problem->velocity[i / 6][i % 6] = 0.0;
    }
    return (CnSolution){.impulse = problem->impulse, .velocity = problem->velocity};
}

// out += M^-1 (J of one side)^T p for one body.
static void push(const CnProblem* problem, int body, const double j[6], double p, double out[6]) {
    for (int i = 0; i < 3; ++i) {
        out[i] += problem->inverse_mass[body] * j[i] * p;
        for (int k = 0; k < 3; ++k) {
            out[3 + i] += problem->inverse_inertia[body][3 * i + k] * j[3 + k] * p;
        }
    }
}

void problem_row_velocity(const CnProblem* problem, const double* impulse, double* u) {
    double(*v)[6] = NULL;
    GROW(v, 0, problem->body_count + 1); // the spare one stands for the immovable world
    for (int body = 0; body < problem->body_count; ++body) {
        memcpy(v[body], problem->free_velocity[body], sizeof v[body]);
    }
    for (int i = 0; i < problem->block_count; ++i) {
        const CnBlock* block = &problem->blocks[i];
        for (int row = block->first_row; row < block->first_row + block->row_count; ++row) {
            if (block->body_a >= 0) {
                push(problem, block->body_a, problem->jacobian_a[row], impulse[row],
                     v[block->body_a]);
            }
            if (block->body_b >= 0) {
                push(problem, block->body_b, problem->jacobian_b[row], impulse[row],
                     v[block->body_b]);
            }
            if (block->second[0] > 0) {
                int body = block->second[0] - 1;
                push(problem, body, problem->jacobian_c[row], impulse[row], v[body]);
            }
            if (block->second[1] > 0) {
                int body = block->second[1] - 1;
                push(problem, body, problem->jacobian_d[row], impulse[row], v[body]);
            }
        }
    }
    for (int i = 0; i < problem->block_count; ++i) {
        const CnBlock* block = &problem->blocks[i];
        const double* va = v[block->body_a >= 0 ? block->body_a : problem->body_count];
        const double* vb = v[block->body_b >= 0 ? block->body_b : problem->body_count];
        for (int row = block->first_row; row < block->first_row + block->row_count; ++row) {
            u[row] = problem->compliance[row] * impulse[row] - problem->target[row];
            for (int k = 0; k < 6; ++k) {
                u[row] += problem->jacobian_a[row][k] * va[k] + problem->jacobian_b[row][k] * vb[k];
                if (block->second[0] > 0) {
                    u[row] += problem->jacobian_c[row][k] * v[block->second[0] - 1][k];
                }
                if (block->second[1] > 0) {
                    u[row] += problem->jacobian_d[row][k] * v[block->second[1] - 1][k];
                }
            }
        }
    }
    free(v);
}

CnProblem problem_without_symmetry(Problem* problem) {
    static const int start[] = {0, 2, 3, 5, 6};
    static const int column[] = {0, 2, 1, 0, 2, 3};
    static const double value[] = {2.0, 1.0, 1.0, 1.5, 2.0, 1.0};
    static const CnResponse response = {start, column, value};
    for (int i = 0; i < 2; ++i) {
        problem_add_block(problem, CN_LAW_COULOMB, 2, -1, -1);
        problem->blocks[i].friction = 0.5;
        problem->target[2 * i] = 1.0;
    }
    CnProblem view = *problem_view(problem);
    view.response = &response;
    return view;
}

double problem_response_at(const CnProblem* problem, int row, int column) {
    const CnResponse* response = problem->response;
    for (int e = response->start[row]; e < response->start[row + 1]; ++e) {
        if (response->column[e] == column) {
            return response->value[e];
        }
    }
    return 0.0;
}
