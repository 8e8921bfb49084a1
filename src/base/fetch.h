// fetch.h - asking for memory that is needed soon.
#pragma once

// Prefetches the cache line of an address, which need not be valid.
//
// The empty statement keeps it: GCC takes a function that only prefetches for one without any
// effect, and leaves calls of it out unless they are inlined early.
static inline void cn_fetch(const void* address) {
    __builtin_prefetch(address);
    __asm__ volatile("");
}
