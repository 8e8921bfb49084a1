// solution_file.c - saves solutions of problems as files; docs/problem-file.md has the formats.
#include "base/error.h"
#include "constraints/problem/block.h"
#include "io/problem/problem_file.h"
#include "io/text/json_write.h"
#include <math.h>
#include <string.h>

// JSON cannot represent numbers that are not finite.
static CnStatus check_finite(const double* values, int count, const char* name, CnError* error) {
    for (int i = 0; i < count; ++i) {
        if (!isfinite(values[i])) {
            return cn_error_set(error, CN_INVALID,
                                "%s[%d] of the solution is %g; it must be finite", name, i,
                                values[i]);
        }
    }
    return CN_OK;
}

CnStatus cn_solution_check_writable(const CnProblem* problem, const CnSolution* solution,
                                    CnError* error) {
    return check_finite(solution->impulse, problem->row_count, "impulse", error);
}

static int count_velocities(const CnProblem* problem) {
    if (problem->masses != NULL) {
        return cn_masses_coordinate_count(problem->masses);
    }
    return problem->response != NULL ? problem->row_count : 6 * problem->body_count;
}

// With a response the impulses determine the velocities.
static void find_velocities(const CnProblem* problem, const CnSolution* solution,
                            double* velocity) {
    if (problem->response == NULL) {
        memcpy(velocity, solution->velocity, (size_t)count_velocities(problem) * sizeof(double));
    } else {
        for (int i = 0; i < problem->block_count; ++i) {
            const CnBlock* block = &problem->blocks[i];
            cn_block_velocity(problem, block, NULL, solution->impulse, velocity + block->first_row);
        }
    }
}

static CnStatus save(const CnProblem* problem, const double* impulse, const double* velocity,
                     const char* path, CnError* error) {
    int velocity_count = count_velocities(problem);
    CnStatus status = check_finite(impulse, problem->row_count, "impulse", error);
    if (status == CN_OK) {
        status = check_finite(velocity, velocity_count, "velocity", error);
    }
    if (status != CN_OK) {
        return status;
    }
    CnJsonWriter writer;
    cn_json_writer_init(&writer, NULL);
    cn_write_object(&writer, NULL);
    cn_write_numbers(&writer, "impulse", impulse, problem->row_count);
    cn_write_numbers(&writer, "velocity", velocity, velocity_count);
    cn_write_object_end(&writer);
    status = cn_json_writer_save(&writer, path, error);
    cn_json_writer_destroy(&writer);
    return status;
}

CnStatus cn_solution_save(const CnProblem* problem, const CnSolution* solution, const char* path,
                          CnError* error) {
    if (cn_problem_names_hdf5(path)) {
        return cn_error_set(error, CN_UNSUPPORTED,
                            "%s: HDF5 files of FCLib, with the problem and its answer, are written "
                            "by cn_fclib_save() of cairn/fclib.h, in the library libcairn_hdf5; "
                            "Cairn's own file has another name, like answer.json",
                            path);
    }
    double* velocity = cn_allocate(NULL, (size_t)count_velocities(problem) + 1, sizeof *velocity);
    if (velocity == NULL) {
        return cn_error_set(error, CN_NO_MEMORY, "no memory for the velocities of a solution");
    }
    find_velocities(problem, solution, velocity);
    CnStatus status = save(problem, solution->impulse, velocity, path, error);
    cn_release(NULL, velocity);
    return status;
}
