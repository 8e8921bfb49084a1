// problem.c - what every reader of a problem needs: names, validation, the velocity of impulses.
#include "base/error.h"
#include "constraints/problem/block.h"
#include "constraints/problem/masses.h"
#include "constraints/problem/problem_check.h"
#include <math.h>
#include <string.h>

static const char* const law_names[CN_LAW_COUNT] = {
    [CN_LAW_EQUALITY] = "equality",
    [CN_LAW_BOUNDS] = "bounds",
    [CN_LAW_COULOMB] = "coulomb",
    [CN_LAW_FORCE] = "force",
};

const char* cn_law_name(CnLaw law) {
    return (unsigned)law < CN_LAW_COUNT ? law_names[law] : "unknown";
}

const char* cn_friction_model_name(CnFrictionModel model) {
    static const char* const names[CN_FRICTION_COUNT] = {
        [CN_FRICTION_EXACT] = "exact",
        [CN_FRICTION_BOX] = "box",
        [CN_FRICTION_PYRAMID] = "pyramid",
        [CN_FRICTION_ASSOCIATED] = "associated",
    };
    return (unsigned)model < CN_FRICTION_COUNT ? names[model] : "unknown";
}

void cn_problem_velocity(const CnProblem* problem, const double* impulse, double (*velocity)[6]) {
    if (problem->masses != NULL) {
        cn_masses_velocity(problem->masses, problem->free_velocity, impulse, velocity);
        return;
    }
    if (problem->body_count > 0) {
        memcpy(velocity, problem->free_velocity, (size_t)problem->body_count * sizeof(double[6]));
    }
    for (int i = 0; i < problem->block_count; ++i) {
        const CnBlock* block = &problem->blocks[i];
        cn_block_apply(problem, block, impulse + block->first_row, velocity);
    }
}

// Else M and J are general, or W is given.
static bool has_rigid_bodies(const CnProblem* problem) {
    return problem->response == NULL && problem->masses == NULL;
}

static CnStatus check_arrays(const CnProblem* problem, CnError* error) {
    if (problem->body_count < 0 || problem->block_count < 0 || problem->row_count < 0) {
        return cn_error_set(error, CN_INVALID,
                            "a problem cannot have %d bodies, %d blocks and %d rows",
                            problem->body_count, problem->block_count, problem->row_count);
    }
    int jacobian_rows = has_rigid_bodies(problem) ? problem->row_count : 0;
    int rigid_bodies = has_rigid_bodies(problem) ? problem->body_count : 0;
    const struct {
        const char* name;
        const void* data;
        int count;
    } arrays[] = {
        {"inverse_mass", problem->inverse_mass, rigid_bodies},
        {"inverse_inertia", problem->inverse_inertia, rigid_bodies},
        {"free_velocity", problem->free_velocity, problem->body_count},
        {"blocks", problem->blocks, problem->block_count},
        {"jacobian_a", problem->jacobian_a, jacobian_rows},
        {"jacobian_b", problem->jacobian_b, jacobian_rows},
        {"target", problem->target, problem->row_count},
        {"compliance", problem->compliance, problem->row_count},
        {"lower", problem->lower, problem->row_count},
        {"upper", problem->upper, problem->row_count},
        {"offset", problem->offset, problem->row_count},
        {"slope", problem->slope, problem->row_count},
    };
    for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; ++i) {
        if (arrays[i].count > 0 && arrays[i].data == NULL) {
            return cn_error_set(error, CN_INVALID, "%s is NULL; it needs %d entries",
                                arrays[i].name, arrays[i].count);
        }
    }
    return CN_OK;
}

// A matrix with a negative diagonal or a 2 x 2 minor below zero would let impulses gain energy.
static bool is_semidefinite(const double inertia[9]) {
    // Against its largest diagonal entry, so that no product is beyond the range of numbers.
    double largest = fmax(fmax(fabs(inertia[0]), fabs(inertia[4])), fabs(inertia[8]));
    double s[9];
    for (int i = 0; i < 9; ++i) {
        s[i] = largest > 0.0 ? inertia[i] / largest : inertia[i];
    }
    // Rotating a tensor into world axes leaves errors of some units in the last place of its
    // largest entry: that much is allowed below.
    double slack = largest > 0.0 ? 1e-12 : 0.0;
    double minor01 = s[0] * s[4] - s[1] * s[1];
    double minor02 = s[0] * s[8] - s[2] * s[2];
    double minor12 = s[4] * s[8] - s[5] * s[5];
    double determinant =
        s[0] * minor12 - s[1] * (s[1] * s[8] - s[5] * s[2]) + s[2] * (s[1] * s[5] - s[4] * s[2]);
    double least_minor = fmin(fmin(minor01, minor02), minor12);
    return fmin(fmin(s[0], s[4]), s[8]) >= -slack && least_minor >= -slack && determinant >= -slack;
}

static CnStatus check_body(const CnProblem* problem, int body, CnError* error) {
    double inverse_mass = problem->inverse_mass[body];
    const double* inertia = problem->inverse_inertia[body];
    if (!isfinite(inverse_mass) || inverse_mass < 0.0) {
        return cn_error_set(error, CN_INVALID,
                            "body %d: inverse_mass is %g 1/kg; it must be finite and at least 0",
                            body, inverse_mass);
    }
    for (int i = 0; i < 9; ++i) {
        if (!isfinite(inertia[i])) {
            return cn_error_set(error, CN_INVALID, "body %d: inverse_inertia[%d] is %g", body, i,
                                inertia[i]);
        }
    }
    if (inertia[1] != inertia[3] || inertia[2] != inertia[6] || inertia[5] != inertia[7]) {
        return cn_error_set(error, CN_INVALID, "body %d: inverse_inertia is not symmetric", body);
    }
    if (!is_semidefinite(inertia)) {
        return cn_error_set(error, CN_INVALID, "body %d: inverse_inertia has a negative eigenvalue",
                            body);
    }
    for (int i = 0; i < 6; ++i) {
        if (!isfinite(problem->free_velocity[body][i])) {
            return cn_error_set(error, CN_INVALID, "body %d: free_velocity[%d] is %g", body, i,
                                problem->free_velocity[body][i]);
        }
    }
    return CN_OK;
}

// How messages name a block: by index, and by its own name or else its law.
typedef struct BlockLabel {
    int index;
    const char* name;
} BlockLabel;

static BlockLabel label_block(const CnProblem* problem, int index) {
    BlockLabel label = {index, cn_law_name(problem->blocks[index].law)};
    if (problem->block_names != NULL && problem->block_names[index] != NULL) {
        label.name = problem->block_names[index];
    }
    return label;
}

// Of a block with a second pair, whose bodies are in range.
static CnStatus check_second(const CnProblem* problem, BlockLabel label, CnError* error) {
    const CnBlock* block = &problem->blocks[label.index];
    if (!has_rigid_bodies(problem) || block->law == CN_LAW_COULOMB) {
        return cn_error_set(
            error, CN_INVALID, "block %d (%s): %s cannot have a second pair of bodies", label.index,
            label.name, has_rigid_bodies(problem) ? "a contact" : "a block without bodies");
    }
    if (problem->jacobian_c == NULL || problem->jacobian_d == NULL) {
        return cn_error_set(error, CN_INVALID,
                            "block %d (%s) has a second pair of bodies, but jacobian_%c is NULL",
                            label.index, label.name, problem->jacobian_c == NULL ? 'c' : 'd');
    }
    for (int i = 2; i < CN_BLOCK_SIDES; ++i) {
        for (int k = 0; k < i; ++k) {
            int body = cn_block_body(block, i);
            if (body >= 0 && body == cn_block_body(block, k)) {
                return cn_error_set(error, CN_INVALID,
                                    "block %d (%s): body_%c and body_%c are both %d", label.index,
                                    label.name, "abcd"[k], "abcd"[i], body);
            }
        }
    }
    return CN_OK;
}

static CnStatus check_structure(const CnProblem* problem, BlockLabel label, int expected_row,
                                CnError* error) {
    const CnBlock* block = &problem->blocks[label.index];
    if ((unsigned)block->law >= CN_LAW_COUNT) {
        return cn_error_set(error, CN_INVALID, "block %d (%s): there is no law %d", label.index,
                            label.name, (int)block->law);
    }
    if (block->row_count < 1 || block->row_count > CN_MAX_ROWS) {
        return cn_error_set(error, CN_INVALID, "block %d (%s): row_count is %d; it must be 1 to %d",
                            label.index, label.name, block->row_count, CN_MAX_ROWS);
    }
    if (block->first_row != expected_row) {
        return cn_error_set(error, CN_INVALID,
                            "block %d (%s): first_row is %d; it must be %d, where the block before "
                            "ends",
                            label.index, label.name, block->first_row, expected_row);
    }
    if (block->row_count > problem->row_count - expected_row) {
        return cn_error_set(
            error, CN_INVALID, "block %d (%s): rows %d to %d are beyond row_count %d", label.index,
            label.name, expected_row, expected_row + block->row_count - 1, problem->row_count);
    }
    for (int i = 0; i < cn_block_sides(block); ++i) {
        int body = cn_block_body(block, i);
        if (body < -1 || body >= problem->body_count) {
            return cn_error_set(error, CN_INVALID,
                                "block %d (%s): body_%c is %d; it must be -1 (the world) or below "
                                "%d",
                                label.index, label.name, "abcd"[i], body, problem -> body_count);
        }
    }
    if (block->body_a == block->body_b && has_rigid_bodies(problem)) {
        return cn_error_set(error, CN_INVALID, "block %d (%s): both its bodies are %d", label.index,
                            label.name, block->body_a);
    }
    return cn_block_has_second(block) ? check_second(problem, label, error) : CN_OK;
}

static CnStatus check_jacobian(BlockLabel label, int row, char side, int body,
                               const double jacobian[6], CnError* error) {
    for (int i = 0; i < 6; ++i) {
        if (!isfinite(jacobian[i])) {
            return cn_error_set(error, CN_INVALID, "block %d (%s): jacobian_%c[%d] of row %d is %g",
                                label.index, label.name, side, i, row, jacobian[i]);
        }
        if (body < 0 && jacobian[i] != 0.0) {
            return cn_error_set(error, CN_INVALID,
                                "block %d (%s): jacobian_%c[%d] of row %d is %g, but body_%c is "
                                "the world; it must be 0",
                                label.index, label.name, side, i, row, jacobian[i], side);
        }
    }
    return CN_OK;
}

static CnStatus check_jacobians(const CnProblem* problem, BlockLabel label, int row,
                                CnError* error) {
    const CnBlock* block = &problem->blocks[label.index];
    int sides = problem->jacobian_c != NULL && problem->jacobian_d != NULL ? CN_BLOCK_SIDES : 2;
    CnStatus status = CN_OK;
    for (int side = 0; status == CN_OK && side < sides; ++side) {
        status = check_jacobian(label, row, "abcd"[side], cn_block_body(block, side),
                                cn_block_jacobian(problem, row, side), error);
    }
    return status;
}

static CnStatus check_row(const CnProblem* problem, BlockLabel label, int row, CnError* error) {
    const CnBlock* block = &problem->blocks[label.index];
    if (has_rigid_bodies(problem) && check_jacobians(problem, label, row, error) != CN_OK) {
        return CN_INVALID;
    }
    if (!isfinite(problem->target[row])) {
        return cn_error_set(error, CN_INVALID, "block %d (%s): target of row %d is %g", label.index,
                            label.name, row, problem->target[row]);
    }
    const struct {
        const char* name;
        double value;
        bool used;
    } nonnegative[] = {
        {"compliance", problem->compliance[row], true},
        {"slope", problem->slope[row], block->law == CN_LAW_FORCE},
    };
    for (int i = 0; i < 2; ++i) {
        if (nonnegative[i].used &&
            (!isfinite(nonnegative[i].value) || nonnegative[i].value < 0.0)) {
            return cn_error_set(error, CN_INVALID,
                                "block %d (%s): %s of row %d is %g; it must be finite and at least "
                                "0",
                                label.index, label.name, nonnegative[i].name, row,
                                nonnegative[i].value);
        }
    }
    if (block->law == CN_LAW_FORCE && !isfinite(problem->offset[row])) {
        return cn_error_set(error, CN_INVALID, "block %d (%s): offset of row %d is %g", label.index,
                            label.name, row, problem->offset[row]);
    }
    double lower = problem->lower[row];
    double upper = problem->upper[row];
    bool empty = !(lower <= upper) || lower == HUGE_VAL || upper == -HUGE_VAL;
    if (block->law == CN_LAW_BOUNDS && empty) {
        return cn_error_set(error, CN_INVALID,
                            "block %d (%s): no impulse lies between lower %g and upper %g of row "
                            "%d",
                            label.index, label.name, lower, upper, row);
    }
    return CN_OK;
}

static CnStatus check_coulomb(const CnProblem* problem, BlockLabel label, CnError* error) {
    const CnBlock* block = &problem->blocks[label.index];
    if (block->row_count < 2) {
        return cn_error_set(error, CN_INVALID,
                            "block %d (%s): row_count is %d; a contact has 2 to %d", label.index,
                            label.name, block->row_count, CN_MAX_ROWS);
    }
    if (block->row_count > 3 && !has_rigid_bodies(problem)) {
        return cn_error_set(error, CN_INVALID,
                            "block %d (%s): row_count is %d; a contact without bodies has 2 or 3",
                            label.index, label.name, block->row_count);
    }
    if (!isfinite(block->friction) || block->friction < 0.0) {
        return cn_error_set(error, CN_INVALID,
                            "block %d (%s): friction is %g; it must be finite and at least 0",
                            label.index, label.name, block->friction);
    }
    return CN_OK;
}

// A block whose rows act on nothing has no answer unless its law holds by chance; a contact also
// needs its normal row to act.
static CnStatus check_effect(const CnProblem* problem, BlockLabel label, CnError* error) {
    const CnBlock* block = &problem->blocks[label.index];
    double w[CN_MAX_ROWS * CN_MAX_ROWS];
    cn_block_delassus(problem, block, w);
    double trace = 0.0;
    for (int i = 0; i < block->row_count; ++i) {
        trace += w[i * block->row_count + i];
    }
    if (!isfinite(trace)) {
        return cn_error_set(error, CN_INVALID,
                            "block %d (%s): the inverse effective mass of its rows is too large "
                            "for a number",
                            label.index, label.name);
    }
    bool acts = block->law == CN_LAW_COULOMB ? w[0] > 0.0 : trace > 0.0;
    if (!acts) {
        return cn_error_set(error, CN_INVALID,
                            "block %d (%s): no impulse of its rows moves anything (bodies %d and "
                            "%d)",
                            label.index, label.name, block->body_a, block->body_b);
    }
    return CN_OK;
}

static CnStatus check_block(const CnProblem* problem, int index, int expected_row, CnError* error) {
    const CnBlock* block = &problem->blocks[index];
    BlockLabel label = label_block(problem, index);
    CnStatus status = check_structure(problem, label, expected_row, error);
    if (status == CN_OK && block->law == CN_LAW_COULOMB) {
        status = check_coulomb(problem, label, error);
    }
    for (int i = 0; status == CN_OK && i < block->row_count; ++i) {
        status = check_row(problem, label, block->first_row + i, error);
    }
    return status == CN_OK ? check_effect(problem, label, error) : status;
}

// `name` is what messages call the matrix.
static CnStatus check_matrix_row(const CnResponse* matrix, const char* name, int row, int columns,
                                 CnError* error) {
    int before = -1;
    for (int e = matrix->start[row]; e < matrix->start[row + 1]; ++e) {
        int column = matrix->column[e];
        if (column <= before || column >= columns) {
            return cn_error_set(error, CN_INVALID,
                                "%s: row %d has column %d after %d; columns must ascend and be "
                                "below %d",
                                name, row, column, before, columns);
        }
        if (!isfinite(matrix->value[e])) {
            return cn_error_set(error, CN_INVALID, "%s: row %d, column %d is %g", name, row, column,
                                matrix->value[e]);
        }
        before = column;
    }
    return CN_OK;
}

CnStatus cn_matrix_check(const CnResponse* matrix, const char* name, int rows, int columns,
                         CnError* error) {
    if (matrix->start == NULL || matrix->start[0] != 0) {
        return cn_error_set(error, CN_INVALID, "%s: start must begin with 0", name);
    }
    for (int i = 0; i < rows; ++i) {
        if (matrix->start[i + 1] < matrix->start[i]) {
            return cn_error_set(error, CN_INVALID, "%s: row %d ends before it starts", name, i);
        }
    }
    if (matrix->start[rows] > 0 && (matrix->column == NULL || matrix->value == NULL)) {
        return cn_error_set(error, CN_INVALID, "%s: column or value is NULL", name);
    }
    CnStatus status = CN_OK;
    for (int i = 0; status == CN_OK && i < rows; ++i) {
        status = check_matrix_row(matrix, name, i, columns, error);
    }
    return status;
}

static CnStatus check_response(const CnProblem* problem, CnError* error) {
    if (problem->body_count != 0) {
        return cn_error_set(error, CN_INVALID,
                            "a problem with a response has no bodies; body_count is %d, not 0",
                            problem->body_count);
    }
    return cn_matrix_check(problem->response, "response", problem->row_count, problem->row_count,
                           error);
}

CnStatus cn_pyramid_sides_check(int sides, const char* owner, CnError* error) {
    if (sides < 4 || sides > CN_MAX_PYRAMID_SIDES || sides % 2 != 0) {
        return cn_error_set(error, CN_INVALID,
                            "%s pyramid_sides is %d; it must be an even number from 4 to %d", owner,
                            sides, CN_MAX_PYRAMID_SIDES);
    }
    return CN_OK;
}

static CnStatus check_friction_model(const CnProblem* problem, CnError* error) {
    if ((unsigned)problem->friction_model >= CN_FRICTION_COUNT) {
        return cn_error_set(error, CN_INVALID, "there is no friction model %d",
                            (int)problem->friction_model);
    }
    return problem->friction_model == CN_FRICTION_PYRAMID
               ? cn_pyramid_sides_check(problem->pyramid_sides, "problem", error)
               : CN_OK;
}

CnStatus cn_problem_check_at(const CnProblem* problem, CnProblemPlace* place, CnError* error) {
    CnStatus status = check_arrays(problem, error);
    if (status == CN_OK) {
        status = check_friction_model(problem, error);
    }
    *place = (CnProblemPlace){-1, -1};
    if (status == CN_OK && problem->masses != NULL) {
        status = cn_masses_check(problem, error);
    } else if (status == CN_OK && problem->response != NULL) {
        status = check_response(problem, error);
    }
    int rigid_bodies = has_rigid_bodies(problem) ? problem->body_count : 0;
    for (int i = 0; status == CN_OK && i < rigid_bodies; ++i) {
        status = check_body(problem, i, error);
        place->body = status == CN_OK ? -1 : i;
    }
    int row = 0;
    for (int i = 0; status == CN_OK && i < problem->block_count; ++i) {
        status = check_block(problem, i, row, error);
        place->block = status == CN_OK ? -1 : i;
        row += status == CN_OK ? problem->blocks[i].row_count : 0;
    }
    if (status == CN_OK && row != problem->row_count) {
        return cn_error_set(error, CN_INVALID,
                            "row_count is %d, but the blocks have %d rows in all",
                            problem->row_count, row);
    }
    return status;
}

CnStatus cn_problem_check(const CnProblem* problem, CnError* error) {
    CnProblemPlace place;
    return cn_problem_check_at(problem, &place, error);
}
