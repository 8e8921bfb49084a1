// fetch.h - asking for memory that is needed soon.
#pragma once

#include <stdbool.h>
#include <stddef.h>

// Prefetches the cache line of an address, which need not be valid.
//
// The empty statement keeps it: GCC takes a function that only prefetches for one without any
// effect, and leaves calls of it out unless they are inlined early.
static inline void cn_fetch(const void* address) {
    __builtin_prefetch(address);
    __asm__ volatile("");
}

// All cache lines of some bytes.
static inline void cn_fetch_all(const void* address, size_t bytes) {
    for (size_t k = 0; k < bytes; k += 64) {
        cn_fetch((const char*)address + k);
    }
}

// Whether the records of a loop leave the caches that a core has to itself. The next loop finds
// them farther away, and it pays to fetch ahead; else it takes time and gives nothing.
#define CN_CORE_CACHE ((size_t)1024 * 1024) // [byte]
static inline bool cn_fetch_pays(int count, size_t size) {
    return (size_t)count * size > CN_CORE_CACHE;
}
