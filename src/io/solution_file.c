// solution_file.c - answers to problems as JSON files; docs/problem-file.md has the format.
#include "base/error.h"
#include "cairn/problem.h"
#include "io/json_write.h"
#include <math.h>

// JSON has no word for what is not finite.
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

CnStatus cn_solution_save(const CnProblem* problem, const CnSolution* solution, const char* path,
                          CnError* error) {
    const double* velocity = (const double*)solution->velocity;
    int velocity_count = 6 * problem->body_count;
    CnStatus status = check_finite(solution->impulse, problem->row_count, "impulse", error);
    if (status == CN_OK) {
        status = check_finite(velocity, velocity_count, "velocity", error);
    }
    if (status != CN_OK) {
        return status;
    }
    CnJsonWriter writer;
    cn_json_writer_init(&writer, NULL);
    cn_write_object(&writer, NULL);
    cn_write_numbers(&writer, "impulse", solution->impulse, problem->row_count);
    cn_write_numbers(&writer, "velocity", velocity, velocity_count);
    cn_write_object_end(&writer);
    status = cn_json_writer_save(&writer, path, error);
    cn_json_writer_destroy(&writer);
    return status;
}
