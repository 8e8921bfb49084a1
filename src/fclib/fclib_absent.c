// fclib_absent.c - replaces FCLib files in a build without HDF5: refuses with an error message.
#include "base/error.h"
#include "fclib/fclib_form.h"

CnOwnedProblem* cn_fclib_read(const char* bytes, size_t length, CnArena* arena,
                              CnErrorList* errors) {
    (void)bytes, (void)length, (void)arena;
    cn_report_error(errors, CN_UNSUPPORTED, 0, "",
                    "is an HDF5 file, and this Cairn was built without HDF5");
    return NULL;
}

CnStatus cn_fclib_write(const CnProblem* problem, const CnSolution* solution, const char* path,
                        CnError* error) {
    (void)problem, (void)solution;
    return cn_error_set(error, CN_UNSUPPORTED,
                        "%s: would be an HDF5 file, and this Cairn was built without HDF5", path);
}
