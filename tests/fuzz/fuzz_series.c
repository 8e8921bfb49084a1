// fuzz_series.c - any bytes as a series file: refused with a sentence, or times that increase.
#include "fuzz.h"

#include "io/text/series_file.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    const CnAllocator allocator = {0};
    CnSeriesDef def;
    CnError error = {.status = CN_OK};
    char* text = malloc(size + 1);
    if (text == NULL) {
        return 0;
    }
    if (size > 0) {
        memcpy(text, data, size);
    }
    text[size] = 0;
    CnStatus status = cn_series_parse(text, size, "series.txt", &allocator, &def, &error);
    PROMISE((status == CN_OK) == (error.message[0] == 0));
    PROMISE((status == CN_OK) == (def.count > 0));
    for (int i = 0; i < def.count; ++i) {
        PROMISE(isfinite(def.times[i]) && isfinite(def.values[i]));
        PROMISE(i == 0 || def.times[i] > def.times[i - 1]);
    }
    cn_series_release(&def, &allocator);
    free(text);
    return 0;
}
