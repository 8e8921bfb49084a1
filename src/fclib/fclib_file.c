// fclib_file.c - the public functions for FCLib files.
#include "cairn/fclib.h"

#include "fclib/fclib_file.h"
#include "fclib/fclib_form.h"
#include "io/problem/problem_file.h"
#include "io/text/file.h"
#include "io/text/json.h"

// The first bytes of either kind of file identify it.
static CnOwnedProblem* read_bytes(char* bytes, size_t length, CnArena* arena, CnErrorList* errors) {
    return cn_problem_is_hdf5(bytes, length) ? cn_fclib_read(bytes, length, arena, errors)
                                             : cn_problem_read(bytes, length, arena, errors);
}

CnOwnedProblem* cn_fclib_load(const char* path, CnError* error) {
    CnArena arena;
    CnErrorList errors;
    CnOwnedProblem* owned = NULL;
    char* bytes = NULL;
    size_t length = 0;
    cn_arena_init(&arena, NULL);
    cn_error_list_init(&errors, cn_file_label(path), NULL, 0);
    if (cn_file_read(path, CN_JSON_MAX_BYTES, &arena, &bytes, &length, &errors)) {
        owned = read_bytes(bytes, length, &arena, &errors);
    }
    cn_arena_destroy(&arena);
    cn_error_list_first(&errors, error);
    return owned;
}

CnOwnedProblem* cn_fclib_parse(const char* bytes, size_t length, const char* label,
                               CnError* error) {
    CnArena arena;
    CnErrorList errors;
    cn_arena_init(&arena, NULL);
    cn_error_list_init(&errors, label, NULL, 0);
    CnOwnedProblem* owned = cn_fclib_read(bytes, length, &arena, &errors);
    cn_arena_destroy(&arena);
    cn_error_list_first(&errors, error);
    return owned;
}

CnStatus cn_fclib_save(const CnProblem* problem, const CnSolution* solution, const char* path,
                       CnError* error) {
    CnStatus status = cn_problem_check_writable(problem, error);
    if (status == CN_OK && solution != NULL) {
        status = cn_solution_check_writable(problem, solution, error);
    }
    return status == CN_OK ? cn_fclib_write(problem, solution, path, error) : status;
}
