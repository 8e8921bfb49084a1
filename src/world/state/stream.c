// stream.c - the bytes of a state: one set of functions that writes them, or reads them.
#include "world/state/stream.h"

#include "base/error.h"

#include <limits.h>
#include <string.h>

bool cn_stream_is_good(const CnStateStream* stream) {
    return !stream->lacks_memory && !stream->is_damaged && !stream->is_other;
}

bool cn_stream_reserve(CnStateStream* stream, size_t size) {
    size_t wanted = stream->size + size;
    if (wanted <= stream->capacity) {
        return true;
    }
    size_t capacity = 2 * stream->capacity > wanted ? 2 * stream->capacity : wanted;
    unsigned char* bytes = cn_allocate(&stream->allocator, capacity, 1);
    if (bytes == NULL) {
        stream->lacks_memory = true;
        return false;
    }
    if (stream->size > 0) {
        memcpy(bytes, stream->bytes, stream->size);
    }
    cn_release(&stream->allocator, stream->bytes);
    stream->bytes = bytes;
    stream->capacity = capacity;
    return true;
}

// The next bytes of the stream, which are then behind it; NULL: there are none.
static unsigned char* take(CnStateStream* stream, size_t size) {
    if (!cn_stream_is_good(stream)) {
        return NULL;
    }
    if (!stream->is_reading) {
        if (!cn_stream_reserve(stream, size)) {
            return NULL;
        }
        stream->size += size;
        return stream->bytes + stream->size - size;
    }
    if (size > stream->size - stream->place) {
        stream->is_damaged = true;
        return NULL;
    }
    stream->place += size;
    return stream->bytes + stream->place - size;
}

static bool is_little_endian(void) {
    const uint16_t one = 1;
    unsigned char first;
    memcpy(&first, &one, 1);
    return first == 1;
}

// Numbers of so many bytes each, little-endian on one side.
static void copy_numbers(void* to, const void* from, size_t size, size_t width) {
    if (width == 1 || is_little_endian()) {
        memcpy(to, from, size);
        return;
    }
    for (size_t i = 0; i < size; ++i) {
        size_t number = i / width * width;
        ((unsigned char*)to)[i] = ((const unsigned char*)from)[number + width - 1 - (i - number)];
    }
}

// A bool that is neither would mean anything.
static void check_bools(CnStateStream* stream, const unsigned char* bytes, size_t size) {
    for (size_t i = 0; i < size; ++i) {
        stream->is_damaged = stream->is_damaged || bytes[i] > 1;
    }
}

static void copy_field(CnStateStream* stream, const CnField* field, void* record,
                       unsigned char* bytes) {
    unsigned char* member = (unsigned char*)record + field->offset;
    size_t width = cn_field_width(field->type);
    if (!stream->is_reading) {
        copy_numbers(bytes, member, field->size, width);
        return;
    }
    if (field->type == CN_FIELD_BOOL) {
        check_bools(stream, bytes, field->size);
    }
    if (!stream->is_damaged) {
        copy_numbers(member, bytes, field->size, width);
    }
}

// Members that lie side by side are copied in one go, where that needs no look at each of them.
#define MAX_RUNS 96

static int find_runs(const CnStateStream* stream, const CnLayout* layout, CnField* runs) {
    int count = 0;
    bool is_little = is_little_endian();
    for (int i = 0; i < layout->field_count; ++i) {
        CnField field = layout->fields[i];
        if (field.type == CN_FIELD_LEFT_OUT) {
            continue;
        }
        bool is_plain = is_little && (field.type != CN_FIELD_BOOL || !stream->is_reading);
        field.type = is_plain ? CN_FIELD_BYTES : field.type;
        CnField* last = count > 0 ? &runs[count - 1] : NULL;
        if (is_plain && last != NULL && last->type == CN_FIELD_BYTES &&
            last->offset + last->size == field.offset) {
            last->size += field.size;
        } else {
            CN_ASSERT(count < MAX_RUNS);
            runs[count++] = field;
        }
    }
    return count;
}

void cn_stream_records(CnStateStream* stream, const CnLayout* layout, void* records, int count) {
    CnField runs[MAX_RUNS];
    unsigned char* record = records;
    int run_count = find_runs(stream, layout, runs);
    unsigned char* bytes = take(stream, (size_t)count * cn_layout_packed_size(layout));
    for (int i = 0; bytes != NULL && i < count; ++i) {
        for (int k = 0; k < run_count; ++k) {
            copy_field(stream, &runs[k], record, bytes);
            bytes += runs[k].size;
        }
        record += layout->size;
    }
}

static void number(CnStateStream* stream, CnFieldType type, void* value, size_t size) {
    const CnField field = {0, size, type};
    unsigned char* bytes = take(stream, size);
    if (bytes != NULL) {
        copy_field(stream, &field, value, bytes);
    }
}

void cn_stream_bytes(CnStateStream* stream, void* data, size_t size) {
    if (size > 0) {
        number(stream, CN_FIELD_BYTES, data, size);
    }
}

void cn_stream_int(CnStateStream* stream, int* value) {
    number(stream, CN_FIELD_I32, value, sizeof *value);
}

void cn_stream_u32(CnStateStream* stream, uint32_t* value) {
    number(stream, CN_FIELD_U32, value, sizeof *value);
}

void cn_stream_i64(CnStateStream* stream, int64_t* value) {
    number(stream, CN_FIELD_I64, value, sizeof *value);
}

void cn_stream_u64(CnStateStream* stream, uint64_t* value) {
    number(stream, CN_FIELD_U64, value, sizeof *value);
}

void cn_stream_bool(CnStateStream* stream, bool* value) {
    number(stream, CN_FIELD_BOOL, value, sizeof *value);
}

void cn_stream_doubles(CnStateStream* stream, double* values, int count) {
    number(stream, CN_FIELD_F64, values, (size_t)count * sizeof *values);
}

// Where the array's pointer is: its own type is known only to the caller.
static void* data_of(void** data) {
    void* memory = NULL;
    memcpy(&memory, (const void*)data, sizeof memory);
    return memory;
}

void cn_stream_array_bytes(CnStateStream* stream, const CnLayout* layout, void** data, int* count,
                           int* capacity, const CnAllocator* allocator) {
    int wanted = *count;
    cn_stream_int(stream, &wanted);
    if (stream->is_reading && cn_stream_is_good(stream)) {
        size_t left = stream->size - stream->place;
        if (wanted < 0 || (size_t)wanted > left / cn_layout_packed_size(layout)) {
            stream->is_damaged = true;
        } else if (!cn_array_reserve_bytes(data, capacity, 0, wanted, layout->size, allocator)) {
            stream->lacks_memory = true;
        } else {
            *count = wanted;
        }
    }
    if (cn_stream_is_good(stream) && wanted > 0) {
        cn_stream_records(stream, layout, data_of(data), wanted);
    }
}

// Four lanes of eight bytes, each multiplied by an odd number after every word, so that a flipped
// bit never gets lost; in the end they are mixed.
uint64_t cn_stream_checksum(const unsigned char* bytes, size_t size) {
    uint64_t lanes[4] = {1, 2, 3, 4};
    size_t blocks = size / 32;
    for (size_t i = 0; i < blocks; ++i) {
        for (int k = 0; k < 4; ++k) {
            uint64_t word;
            copy_numbers(&word, bytes + 32 * i + 8 * (size_t)k, 8, 8);
            lanes[k] = (lanes[k] ^ word) * UINT64_C(0x9e3779b97f4a7c15);
            lanes[k] ^= lanes[k] >> 29;
        }
    }
    uint64_t hash = cn_hash_bytes(CN_HASH_SEED, bytes + 32 * blocks, size - 32 * blocks);
    for (int k = 0; k < 4; ++k) {
        hash = cn_hash_mix(hash, lanes[k]);
    }
    return cn_hash_mix(hash, size);
}
