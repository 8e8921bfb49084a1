// stream.h - the bytes of a state: one set of functions that writes them, or reads them.
#pragma once

#include "world/state/layouts.h"

// Reading and writing take the same way through a world, so that they cannot differ. After the
// first failure nothing more happens.
typedef struct CnStateStream {
    CnAllocator allocator; // of the bytes that are written
    bool is_reading;
    bool lacks_memory;
    bool is_damaged; // reading: the bytes end too early, or are none that were ever written
    bool is_other;   // reading: the world is not made of what the state is of
    unsigned char* bytes;
    size_t size, capacity; // reading: capacity is 0, the bytes are somebody else's
    size_t place;          // reading
} CnStateStream;

bool cn_stream_is_good(const CnStateStream* stream);

// Writing: room for so many bytes more. False: no memory.
bool cn_stream_reserve(CnStateStream* stream, size_t size);

// Reading: whether so many records follow, by their sizes. Nothing is allocated for more.
bool cn_stream_has_records(const CnStateStream* stream, const CnLayout* layout, int count);

void cn_stream_bytes(CnStateStream* stream, void* data, size_t size);

// Records of an array, each as its differences from the one before; written and read in the same
// parts.
void cn_stream_records(CnStateStream* stream, const CnLayout* layout, void* records, int count);

// Single numbers.
void cn_stream_int(CnStateStream* stream, int* value);
void cn_stream_u32(CnStateStream* stream, uint32_t* value);
void cn_stream_i64(CnStateStream* stream, int64_t* value);
void cn_stream_u64(CnStateStream* stream, uint64_t* value);
void cn_stream_bool(CnStateStream* stream, bool* value);
void cn_stream_doubles(CnStateStream* stream, double* values, int count);

// A count and as many records; reading replaces what is in the array.
void cn_stream_array_bytes(CnStateStream* stream, const CnLayout* layout, void** data, int* count,
                           int* capacity, const CnAllocator* allocator);
#define cn_stream_array(stream, layout, array, allocator)                                          \
    cn_stream_array_bytes((stream), (layout), (void**)&(array)->data, &(array)->count,             \
                          &(array)->capacity, (allocator))

// A digest of bytes, to tell whether they are those that were written.
uint64_t cn_stream_checksum(const unsigned char* bytes, size_t size);
