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
    unsigned char* bytes = cn_allocate_raw(&stream->allocator, capacity, 1);
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

// ---- records ----
//
// A record is packed into words of eight bytes, and of these the ones are written that differ from
// the record before it in the array (zeros before the first): a mask for every 64 words, then the
// words. Neighbours have much in common: masses, materials, unused points, zeros. A record of one
// word or less is written as it is.

#define WORD_SIZE 8
#define GROUP 64       // words of one mask
#define MOST_WORDS 256 // of a record
#define MOST_RUNS 96
#define MOST_BOOLS 64

// Members that lie side by side, or numbers of one member where bytes must be turned around.
typedef struct FieldRun {
    size_t offset, size; // in the struct [bytes]
    size_t width;        // of its numbers; 1: bytes are copied as they are
    size_t place;        // in the packed record
} FieldRun;

typedef struct Packing {
    size_t record_size; // of the struct
    FieldRun runs[MOST_RUNS];
    int run_count;
    size_t bools[MOST_BOOLS][2]; // place in the packed record, size
    int bool_count;
    size_t size; // of the packed record [bytes]
    int word_count;
} Packing;

// A member begins as many bytes after the start of a word as in the struct, so that its numbers do
// not lie across words.
static size_t place_of(const CnField* field, size_t end) {
    return end + (field->offset - end) % WORD_SIZE;
}

static Packing packing_of(const CnLayout* layout) {
    Packing packing = {.record_size = layout->size};
    bool is_little = is_little_endian();
    size_t end = 0;
    for (int i = 0; i < layout->field_count; ++i) {
        const CnField* field = &layout->fields[i];
        if (field->type == CN_FIELD_LEFT_OUT) {
            continue;
        }
        size_t place = place_of(field, end), width = is_little ? 1 : cn_field_width(field->type);
        FieldRun* last = packing.run_count > 0 ? &packing.runs[packing.run_count - 1] : NULL;
        if (is_little && last != NULL && last->offset + last->size == field->offset) {
            last->size += field->size;
        } else {
            CN_ASSERT(packing.run_count < MOST_RUNS);
            packing.runs[packing.run_count++] =
                (FieldRun){field->offset, field->size, width, place};
        }
        if (field->type == CN_FIELD_BOOL) {
            CN_ASSERT(packing.bool_count < MOST_BOOLS);
            packing.bools[packing.bool_count][0] = place;
            packing.bools[packing.bool_count++][1] = field->size;
        }
        end = place + field->size;
    }
    packing.size = end;
    packing.word_count = (int)((end + WORD_SIZE - 1) / WORD_SIZE);
    CN_ASSERT(packing.word_count <= MOST_WORDS);
    return packing;
}

static int group_count(int words) {
    return (words + GROUP - 1) / GROUP;
}

// Goes over the masks alone: a state that is damaged or forged is refused before there is memory
// for its records, which may be sixty times as large as their bytes.
bool cn_stream_has_records(const CnStateStream* stream, const CnLayout* layout, int count) {
    Packing packing = packing_of(layout);
    size_t place = stream->place, end = stream->size;
    if (packing.size <= WORD_SIZE) {
        return count >= 0 && (size_t)count <= (end - place) / packing.size;
    }
    size_t groups = (size_t)(count > 0 ? count : 0) * (size_t)group_count(packing.word_count);
    for (size_t i = 0; i < groups; ++i) {
        uint64_t mask = 0;
        if (end - place < WORD_SIZE) {
            return false;
        }
        copy_numbers(&mask, stream->bytes + place, WORD_SIZE, WORD_SIZE);
        place += WORD_SIZE;
        size_t size = (size_t)__builtin_popcountll(mask) * WORD_SIZE;
        if (size > end - place) {
            return false;
        }
        place += size;
    }
    return count >= 0;
}

static void pack(const Packing* packing, const unsigned char* record, uint64_t* words) {
    for (int k = 0; k < packing->run_count; ++k) {
        const FieldRun* run = &packing->runs[k];
        copy_numbers((unsigned char*)words + run->place, record + run->offset, run->size,
                     run->width);
    }
}

static void unpack(const Packing* packing, const uint64_t* words, unsigned char* record) {
    for (int k = 0; k < packing->run_count; ++k) {
        const FieldRun* run = &packing->runs[k];
        copy_numbers(record + run->offset, (const unsigned char*)words + run->place, run->size,
                     run->width);
    }
}

// The words of a group in which two records differ, a bit for each.
static uint64_t find_differences(const uint64_t* a, const uint64_t* b, int count) {
    uint64_t mask = 0;
    for (int i = 0; i < count; ++i) {
        mask |= (uint64_t)(a[i] != b[i]) << i;
    }
    return mask;
}

static int words_of_group(const Packing* packing, int first) {
    return packing->word_count - first < GROUP ? packing->word_count - first : GROUP;
}

static void write_record(CnStateStream* stream, const Packing* packing, const uint64_t* before,
                         const uint64_t* words) {
    int most = packing->word_count + group_count(packing->word_count);
    if (!cn_stream_reserve(stream, (size_t)most * WORD_SIZE)) {
        return;
    }
    unsigned char* bytes = stream->bytes + stream->size;
    if (packing->size <= WORD_SIZE) {
        memcpy(bytes, words, packing->size);
        stream->size += packing->size;
        return;
    }
    for (int first = 0; first < packing->word_count; first += GROUP) {
        int count = words_of_group(packing, first);
        uint64_t mask = find_differences(before + first, words + first, count);
        copy_numbers(bytes, &mask, WORD_SIZE, WORD_SIZE);
        bytes += WORD_SIZE;
        for (; mask != 0; mask &= mask - 1) {
            memcpy(bytes, words + first + __builtin_ctzll(mask), WORD_SIZE);
            bytes += WORD_SIZE;
        }
    }
    stream->size = (size_t)(bytes - stream->bytes);
}

static void write_records(CnStateStream* stream, const Packing* packing,
                          const unsigned char* records, int count) {
    uint64_t words[2][MOST_WORDS] = {{0}};
    for (int i = 0; cn_stream_is_good(stream) && i < count; ++i) {
        pack(packing, records, words[i % 2]);
        write_record(stream, packing, words[(i + 1) % 2], words[i % 2]);
        records += packing->record_size;
    }
}

// Brings the words of the record before to those of the next one.
static void read_record(CnStateStream* stream, const Packing* packing, uint64_t* words) {
    if (packing->size <= WORD_SIZE) {
        const unsigned char* whole = take(stream, packing->size);
        if (whole != NULL) {
            memcpy(words, whole, packing->size);
        }
        return;
    }
    for (int first = 0; first < packing->word_count; first += GROUP) {
        int count = words_of_group(packing, first);
        uint64_t mask = 0;
        const unsigned char* bytes = take(stream, WORD_SIZE);
        if (bytes == NULL) {
            return;
        }
        copy_numbers(&mask, bytes, WORD_SIZE, WORD_SIZE);
        stream->is_damaged = stream->is_damaged || (count < GROUP && mask >> count != 0);
        bytes = take(stream, (size_t)__builtin_popcountll(mask) * WORD_SIZE);
        if (bytes == NULL) {
            return;
        }
        for (; mask != 0; mask &= mask - 1) {
            memcpy(words + first + __builtin_ctzll(mask), bytes, WORD_SIZE);
            bytes += WORD_SIZE;
        }
    }
}

// A bool that is neither would mean anything.
static void check_bools(CnStateStream* stream, const Packing* packing, const uint64_t* words) {
    for (int k = 0; k < packing->bool_count; ++k) {
        const unsigned char* bytes = (const unsigned char*)words + packing->bools[k][0];
        for (size_t i = 0; i < packing->bools[k][1]; ++i) {
            stream->is_damaged = stream->is_damaged || bytes[i] > 1;
        }
    }
}

// Records of an array that is new are zeroed first: members that are left out, and whatever a
// stream that fails does not bring.
static void read_records(CnStateStream* stream, const Packing* packing, unsigned char* records,
                         int count, bool is_new) {
    uint64_t words[MOST_WORDS] = {0};
    for (int i = 0; i < count; ++i) {
        if (is_new) {
            memset(records, 0, packing->record_size);
        }
        if (cn_stream_is_good(stream)) {
            read_record(stream, packing, words);
            check_bools(stream, packing, words);
        }
        if (cn_stream_is_good(stream)) {
            unpack(packing, words, records);
        }
        records += packing->record_size;
    }
}

void cn_stream_records(CnStateStream* stream, const CnLayout* layout, void* records, int count) {
    Packing packing = packing_of(layout);
    if (stream->is_reading) {
        read_records(stream, &packing, records, count, false);
    } else {
        write_records(stream, &packing, records, count);
    }
}

// ---- single numbers ----

static void number(CnStateStream* stream, CnFieldType type, void* value, size_t size) {
    size_t width = cn_field_width(type);
    unsigned char* bytes = take(stream, size);
    if (bytes == NULL) {
        return;
    }
    if (!stream->is_reading) {
        copy_numbers(bytes, value, size, width);
    } else if (type == CN_FIELD_BOOL && bytes[0] > 1) {
        stream->is_damaged = true;
    } else {
        copy_numbers(value, bytes, size, width);
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
    Packing packing = packing_of(layout);
    int wanted = *count;
    cn_stream_int(stream, &wanted);
    if (!cn_stream_is_good(stream)) {
        return;
    }
    if (!stream->is_reading) {
        write_records(stream, &packing, data_of(data), wanted);
    } else if (!cn_stream_has_records(stream, layout, wanted)) {
        stream->is_damaged = true;
    } else if (!cn_array_resize_bytes(data, count, capacity, wanted, layout->size, allocator)) {
        stream->lacks_memory = true;
    } else {
        read_records(stream, &packing, data_of(data), wanted, true);
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
