// version.c - the version the library was built as.
#include "cairn/base.h"

const char* cn_version(void) {
    return CAIRN_VERSION; // from project() in CMakeLists.txt
}
