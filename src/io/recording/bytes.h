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

// Numbers of 4 bytes as planes of equal significance: docs/recording.md, "Planes".
void cn_bytes_put_planes(CnBytes* bytes, const uint32_t* numbers, size_t count);

// Number i of count.
static inline uint32_t cn_plane_get(const unsigned char* planes, size_t count, size_t i) {
    return planes[i] | (uint32_t)planes[count + i] << 8 | (uint32_t)planes[2 * count + i] << 16 |
           (uint32_t)planes[3 * count + i] << 24;
}

static inline void cn_plane_set(unsigned char* planes, size_t count, size_t i, uint32_t number) {
    planes[i] = (unsigned char)(number & 0xFFu);
    planes[count + i] = (unsigned char)(number >> 8 & 0xFFu);
    planes[2 * count + i] = (unsigned char)(number >> 16 & 0xFFu);
    planes[3 * count + i] = (unsigned char)(number >> 24);
}

// CRC-32 of zlib and PNG, continued: start with 0.
uint32_t cn_crc32(uint32_t crc, const void* data, size_t size);
