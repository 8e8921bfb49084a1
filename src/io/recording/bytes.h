// bytes.h - a buffer of bytes that grows, and its CRC-32.
#pragma once

#include "base/memory.h"

typedef struct CnBytes {
    CnAllocator allocator;
    unsigned char* data; // [capacity]
    size_t size, capacity;
    bool failed; // memory ran out: what was put since is lost
} CnBytes;

void cn_bytes_init(CnBytes* bytes, const CnAllocator* allocator);
void cn_bytes_destroy(CnBytes* bytes);

// Room for so many bytes in all; false: no memory.
bool cn_bytes_reserve(CnBytes* bytes, size_t wanted);

// Room for so many more, at the end; what is in it is undefined. NULL: no memory.
void* cn_bytes_extend(CnBytes* bytes, size_t more);
void cn_bytes_put(CnBytes* bytes, const void* data, size_t size);
void cn_bytes_put_u32(CnBytes* bytes, uint32_t value);

// CRC-32 of zlib and PNG, continued: start with 0.
uint32_t cn_crc32(uint32_t crc, const void* data, size_t size);
