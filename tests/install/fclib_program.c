// fclib_program.c - a stranger's program that reads, writes and reads a problem of FCLib.
//
//     fclib_program PROBLEM.hdf5 COPY.hdf5
#include <cairn/cairn.h>
#include <cairn/fclib.h>
#include <stdio.h>

int main(int argc, char** argv) {
    CnError error = {CN_OK, ""};
    if (argc != 3) {
        return 2;
    }
    CnOwnedProblem* first = cn_fclib_load(argv[1], &error);
    CnStatus status = CN_INVALID;
    if (first != NULL) {
        status = cn_fclib_save(cn_owned_problem_get(first), NULL, argv[2], &error);
    }
    CnOwnedProblem* second = status == CN_OK ? cn_fclib_load(argv[2], &error) : NULL;
    bool same = second != NULL &&
                cn_owned_problem_get(first)->row_count == cn_owned_problem_get(second)->row_count;
    cn_owned_problem_destroy(first);
    cn_owned_problem_destroy(second);
    // The library without HDF5 says where to look.
    bool refused = cn_problem_load(argv[1], &error) == NULL && error.status == CN_UNSUPPORTED;
    puts(same && refused ? cn_version() : error.message);
    return same && refused ? 0 : 1;
}
