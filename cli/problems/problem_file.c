// problem_file.c - problems and answers as files: Cairn's own, or FCLib's by their names.
#include "problems/problem_file.h"

#include "cairn/fclib.h"

#include <string.h>

static bool ends_with(const char* path, const char* ending) {
    const char* own = strrchr(path, '.');
    return own != NULL && strcmp(own, ending) == 0;
}

static bool is_fclib(const char* path) {
    return ends_with(path, ".hdf5") || ends_with(path, ".h5");
}

CnStatus problem_file_save(const CnProblem* problem, const CnSolution* solution, const char* path,
                           CnError* error) {
    if (is_fclib(path)) {
        return cn_fclib_save(problem, solution, path, error);
    }
    return solution == NULL ? cn_problem_save(problem, path, error)
                            : cn_solution_save(problem, solution, path, error);
}

bool problem_file_has_name(const char* path) {
    return ends_with(path, ".json") || is_fclib(path);
}
