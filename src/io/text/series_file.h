// series_file.h - series as text files with two numbers per line.
#pragma once

#include "base/memory.h"
#include "cairn/series.h"

#define CN_SERIES_MAX_BYTES ((size_t)1 << 28) // about ten million lines

// text[length] must be 0. The allocator provides the samples; the def has no name.
CnStatus cn_series_parse(const char* text, size_t length, const char* label,
                         const CnAllocator* allocator, CnSeriesDef* def, CnError* error);
CnStatus cn_series_load_from(const char* path, const CnAllocator* allocator, CnSeriesDef* def,
                             CnError* error);
void cn_series_release(CnSeriesDef* def, const CnAllocator* allocator);
