// fuzz_fclib.c - any bytes behind the signature of HDF5 as a problem of FCLib.
#include "fuzz.h"

#include "fclib/fclib_file.h"

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    CnError error = {.status = CN_OK};
    CnOwnedProblem* problem = cn_fclib_parse((const char*)data, size, "fuzz.hdf5", &error);
    PROMISE((problem != NULL) == (error.message[0] == 0));
    cn_owned_problem_destroy(problem);
    return 0;
}
