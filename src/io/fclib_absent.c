// fclib_absent.c - stands in for FCLib files in a build without HDF5: refused with a sentence.
#include "io/fclib.h"

CnOwnedProblem* cn_fclib_parse(const char* bytes, size_t length, CnArena* arena,
                               CnComplaints* complaints) {
    (void)bytes, (void)length, (void)arena;
    cn_complain(complaints, CN_UNSUPPORTED, 0, "",
                "is an HDF5 file, and this Cairn was built without HDF5");
    return NULL;
}
