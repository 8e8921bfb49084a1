// fuzz_problem.c - any bytes as a problem: refused with a sentence, or a valid problem.
#include "fuzz.h"

#include "io/problem/problem_file.h"

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    CnError error = {.status = CN_OK};
    CnOwnedProblem* problem = cn_problem_parse((const char*)data, size, "fuzz.json", &error);
    PROMISE((problem != NULL) == (error.message[0] == 0));
    cn_owned_problem_destroy(problem);
    return 0;
}
