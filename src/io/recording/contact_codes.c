// contact_codes.c - contacts of frames: only what changed since the frame before.
#include "io/recording/contact_codes.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

#define FORCE_FLOOR 0x1p-24       // forces below this share of the frame's largest are nothing
#define RESIDUAL_MASK 0x0007FFFFu // bits of a residual that are dropped: 4 of 23 stay
#define LOOK_AHEAD 64             // contacts of the frame before that are searched for a match

void cn_contact_codes_init(CnContactCodes* codes, const CnAllocator* allocator) {
    *codes = (CnContactCodes){.allocator = *allocator};
}

void cn_contact_codes_destroy(CnContactCodes* codes) {
    const CnAllocator* allocator = &codes->allocator;
    cn_array_free(&codes->sources, allocator);
    cn_array_free(&codes->masks, allocator);
    cn_array_free(&codes->bodies[0], allocator);
    cn_array_free(&codes->bodies[1], allocator);
    for (int k = 0; k < CN_CONTACT_COLUMNS; ++k) {
        cn_array_free(&codes->changes[k], allocator);
    }
    cn_array_free(&codes->before.contacts, allocator);
    cn_array_free(&codes->before.codes, allocator);
    cn_array_free(&codes->now.contacts, allocator);
    cn_array_free(&codes->now.codes, allocator);
}

void cn_contact_codes_clear(CnContactCodes* codes) {
    codes->sources.count = codes->masks.count = codes->before.contacts.count = 0;
    codes->bodies[0].count = codes->bodies[1].count = 0;
    for (int k = 0; k < CN_CONTACT_COLUMNS; ++k) {
        codes->changes[k].count = 0;
    }
}

// ---- numbers ----

static uint32_t bits_of(float value) {
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static float float_of(uint32_t bits) {
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

// Integers in the order of the floats; both zeros are 0.
static int32_t code_of(float value) {
    uint32_t bits = bits_of(value), sign = 0u - (bits >> 31);
    return (int32_t)(((bits & 0x7FFFFFFFu) ^ sign) - sign);
}

static float value_of(int32_t code) {
    return float_of(code < 0 ? (0u - (uint32_t)code) | 0x80000000u : (uint32_t)code);
}

static float power_below(float size) { // 0 for denormals
    return float_of(bits_of(size) & 0x7F800000u);
}

static float larger(float a, float b) { // inlined, unlike fmaxf()
    return a > b ? a : b;
}

static float largest_component(const float* v) {
    return larger(larger(fabsf(v[0]), fabsf(v[1])), fabsf(v[2]));
}

// What rounding of a frame needs, made once; the columns of the force are those of each contact.
typedef struct Rounding {
    double quantum[CN_LOAD_FRICTION], inverse[CN_LOAD_FRICTION];
    double force_share, force_floor; // powers of two
    double residual_floor;           // [m/s]
    bool is_steady;                  // equal forces are rounded as in the frame before
} Rounding;

static Rounding rounding_of(const CnContactPrecision* precision, const CnContactLoad* contacts,
                            int count) {
    uint32_t bits = 0; // positive floats have the order of their bits
    for (int i = 0; i < count; ++i) {
        for (int k = CN_LOAD_FORCE; k < CN_LOAD_GAP; ++k) {
            uint32_t size = bits_of(contacts[i].numbers[k]) & 0x7FFFFFFFu;
            bits = size > bits ? size : bits;
        }
    }
    float largest = float_of(bits);
    Rounding rounding = {.force_share = precision->force,
                         .force_floor = FORCE_FLOOR * (double)power_below(largest),
                         .residual_floor = precision->residual_floor};
    for (int k = 0; k < CN_LOAD_FRICTION; ++k) {
        double quantum = k < CN_LOAD_NORMAL  ? precision->point
                         : k < CN_LOAD_FORCE ? precision->normal
                                             : precision->gap;
        rounding.quantum[k] = ldexp(1.0, ilogb(quantum)); // floats then end in zeros
        rounding.inverse[k] = 1.0 / rounding.quantum[k];
    }
    return rounding;
}

// Of a power of two, without a division; 0 of 0.
static double inverse_power(double power) {
    uint64_t bits;
    double inverse;
    memcpy(&bits, &power, sizeof bits);
    bits = bits == 0 ? 0 : UINT64_C(0x7FE0000000000000) - bits; // exponents e and -e, both biased
    memcpy(&inverse, &bits, sizeof inverse);
    return inverse;
}

static void set_force_quantum(Rounding* rounding, const float* force) {
    double own = rounding->force_share * (double)power_below(largest_component(force));
    double quantum = own > rounding->force_floor ? own : rounding->force_floor;
    double inverse = inverse_power(quantum); // 0: what is smallest becomes 0
    for (int k = CN_LOAD_FORCE; k < CN_LOAD_GAP; ++k) {
        rounding->quantum[k] = quantum;
        rounding->inverse[k] = inverse;
    }
}

// To the nearest multiple of the quantum. Doubles of this size have no fraction, so that adding it
// rounds. Floats above 2^24 quanta are coarser than the quantum anyway, and stay.
#define WHOLE_DOUBLE 0x1.8p52

static float round_residual(float residual, double floor) {
    if ((double)residual < floor) {
        return 0.0f;
    }
    return isfinite(residual) ? float_of((bits_of(residual) + RESIDUAL_MASK / 2) & ~RESIDUAL_MASK)
                              : residual;
}

static void code_columns(const Rounding* rounding, const float* numbers, int from, int to,
                         int32_t* codes) {
    for (int k = from; k < to; ++k) {
        double scaled = (double)numbers[k] * rounding->inverse[k];
        float whole = (float)((scaled + WHOLE_DOUBLE - WHOLE_DOUBLE) * rounding->quantum[k]);
        codes[k] = code_of(fabs(scaled) < 0x1p24 ? whole : numbers[k]);
    }
}

// Contacts at rest have the same numbers, to the bit, as in the frame before: those codes are
// copied. source, source_codes: NULL when there is none.
static void code_contact(Rounding* rounding, const float* numbers, const CnContactLoad* source,
                         const int32_t* source_codes, int32_t* codes) {
    const size_t all = CN_LOAD_RESIDUAL * sizeof *numbers, places = CN_LOAD_FORCE * sizeof *numbers;
    const float* before = source != NULL ? source->numbers : NULL;
    if (before != NULL && rounding->is_steady && memcmp(numbers, before, all) == 0) {
        memcpy(codes, source_codes, all);
    } else {
        if (before != NULL && memcmp(numbers, before, places) == 0) {
            memcpy(codes, source_codes, places);
        } else {
            code_columns(rounding, numbers, 0, CN_LOAD_FORCE, codes);
        }
        set_force_quantum(rounding, numbers + CN_LOAD_FORCE);
        code_columns(rounding, numbers, CN_LOAD_FORCE, CN_LOAD_FRICTION, codes);
        codes[CN_LOAD_FRICTION] = code_of(numbers[CN_LOAD_FRICTION]);
    }
    codes[CN_LOAD_RESIDUAL] =
        code_of(round_residual(numbers[CN_LOAD_RESIDUAL], rounding->residual_floor));
}

// ---- writing ----

static uint32_t zigzag(uint32_t difference) {
    return difference << 1 ^ (0u - (difference >> 31));
}

static uint32_t unzigzag(uint32_t code) {
    return code >> 1 ^ (0u - (code & 1u));
}

static bool have_same_bodies(const CnContactLoad* a, const CnContactLoad* b) {
    return a->bodies[0] == b->bodies[0] && a->bodies[1] == b->bodies[1];
}

// The contact of the frame before, from `next` on, that has the same bodies; -1: none.
static int find_source(const CnContactCodes* codes, const CnContactLoad* contact, int next) {
    int count = codes->before.contacts.count;
    int end = count < next + LOOK_AHEAD ? count : next + LOOK_AHEAD;
    for (int i = next; i < end; ++i) {
        if (have_same_bodies(&codes->before.contacts.data[i], contact)) {
            return i;
        }
    }
    return -1;
}

// now, before: codes of the contact and of its source; NULL: it has none. The mask of what changed.
static uint16_t add_changes(CnContactCodes* codes, const int32_t* now, const int32_t* before) {
    static const int32_t nothing[CN_CONTACT_COLUMNS] = {0};
    const int32_t* base = before != NULL ? before : nothing;
    unsigned mask = 0;
    for (int k = 0; k < CN_CONTACT_COLUMNS; ++k) {
        if (now[k] != base[k]) {
            codes->changes[k].data[codes->changes[k].count++] =
                zigzag((uint32_t)now[k] - (uint32_t)base[k]);
            mask |= 1u << k;
        }
    }
    return (uint16_t)mask;
}

// Room for a frame in which everything is new.
static bool reserve(CnContactCodes* codes, int count) {
    const CnAllocator* allocator = &codes->allocator;
    bool ok = cn_array_reserve(&codes->sources, allocator, codes->sources.count + count) &&
              cn_array_reserve(&codes->masks, allocator, codes->masks.count + count) &&
              cn_array_reserve(&codes->bodies[0], allocator, codes->bodies[0].count + count) &&
              cn_array_reserve(&codes->bodies[1], allocator, codes->bodies[1].count + count) &&
              cn_array_reserve(&codes->now.codes, allocator, count * CN_CONTACT_COLUMNS);
    for (int k = 0; ok && k < CN_CONTACT_COLUMNS; ++k) {
        ok = cn_array_reserve(&codes->changes[k], allocator, codes->changes[k].count + count);
    }
    return ok;
}

// Bodies included, to the bit.
static bool is_same_but_residual(const CnContactLoad* a, const CnContactLoad* b) {
    return memcmp(a, b, offsetof(CnContactLoad, numbers[CN_LOAD_RESIDUAL])) == 0;
}

// Whether the contact has the codes of the frame before.
static bool is_steady(const Rounding* rounding, const CnContactLoad* contact,
                      const CnContactLoad* from, const int32_t* codes) {
    return rounding->is_steady && is_same_but_residual(contact, from) &&
           codes[CN_LOAD_RESIDUAL] == code_of(round_residual(contact->numbers[CN_LOAD_RESIDUAL],
                                                             rounding->residual_floor));
}

// Contacts from the first on that have the same bodies as those of the frame before, whose codes
// become their own: what rests is read, not written. How many there are.
static int continue_frame(CnContactCodes* codes, Rounding* rounding) {
    const CnContactLoad *contacts = codes->now.contacts.data, *from = codes->before.contacts.data;
    int count = codes->now.contacts.count, most = codes->before.contacts.count, i = 0;
    uint32_t* sources = codes->sources.data + codes->sources.count;
    uint16_t* masks = codes->masks.data + codes->masks.count;
    int32_t *before = codes->before.codes.data, now[CN_CONTACT_COLUMNS];
    most = count < most ? count : most;
    for (; i < most && have_same_bodies(&contacts[i], &from[i]); ++i) {
        sources[i] = masks[i] = 0;
        if (!is_steady(rounding, &contacts[i], &from[i], before)) {
            code_contact(rounding, contacts[i].numbers, &from[i], before, now);
            masks[i] = add_changes(codes, now, before);
            memcpy(before, now, sizeof now);
        }
        before += CN_CONTACT_COLUMNS;
    }
    codes->sources.count += i;
    codes->masks.count += i;
    return i;
}

static void add_contact(CnContactCodes* codes, Rounding* rounding, int i, int* next) {
    const CnContactLoad* contact = &codes->now.contacts.data[i];
    int32_t* now = codes->now.codes.data + i * CN_CONTACT_COLUMNS;
    int source = find_source(codes, contact, *next);
    const CnContactLoad* from = source < 0 ? NULL : &codes->before.contacts.data[source];
    const int32_t* before =
        source < 0 ? NULL : codes->before.codes.data + source * CN_CONTACT_COLUMNS;
    codes->sources.data[codes->sources.count++] = source < 0 ? 1u
                                                  : source == *next
                                                      ? 0u
                                                      : (uint32_t)(source - *next) + 1u;
    for (int side = 0; side < 2 && source < 0; ++side) {
        codes->bodies[side].data[codes->bodies[side].count++] = (uint32_t)contact->bodies[side];
    }
    code_contact(rounding, contact->numbers, from, before, now);
    codes->masks.data[codes->masks.count++] = add_changes(codes, now, before);
    *next = source < 0 ? *next : source + 1;
}

bool cn_contact_codes_set(CnContactCodes* codes, const CnContactLoad* contacts, int count) {
    if (!cn_array_reserve(&codes->now.contacts, &codes->allocator, count)) {
        return false;
    }
    if (count > 0) {
        memcpy(codes->now.contacts.data, contacts, (size_t)count * sizeof *contacts);
    }
    codes->now.contacts.count = count;
    return true;
}

// Those of this frame are those before the next, whose list is empty.
static void swap_contacts(CnContactCodes* codes) {
    CnContactList contacts = codes->now.contacts;
    codes->now.contacts = codes->before.contacts;
    codes->before.contacts = contacts;
    codes->now.contacts.count = 0;
}

bool cn_contact_codes_add(CnContactCodes* codes, const CnContactPrecision* precision) {
    int count = codes->now.contacts.count;
    if (!reserve(codes, count)) {
        return false;
    }
    Rounding rounding = rounding_of(precision, codes->now.contacts.data, count);
    rounding.is_steady = rounding.force_floor == codes->force_floor;
    codes->force_floor = rounding.force_floor;
    int next = continue_frame(codes, &rounding); // contact that would continue the list
    if (next == count) {                         // all in place
        swap_contacts(codes);
        return true;
    }
    if (next > 0) {
        memcpy(codes->now.codes.data, codes->before.codes.data,
               (size_t)next * CN_CONTACT_COLUMNS * sizeof(int32_t));
    }
    for (int i = next; i < count; ++i) {
        add_contact(codes, &rounding, i, &next);
    }
    swap_contacts(codes);
    CnContactRows rows = codes->now.codes;
    codes->now.codes = codes->before.codes;
    codes->before.codes = rows;
    return true;
}

CnContactCounts cn_contact_codes_counts(const CnContactCodes* codes) {
    CnContactCounts counts = {(size_t)codes->sources.count, (size_t)codes->bodies[0].count, {0}};
    for (int k = 0; k < CN_CONTACT_COLUMNS; ++k) {
        counts.changes[k] = (size_t)codes->changes[k].count;
    }
    return counts;
}

size_t cn_contact_counts_size(const CnContactCounts* counts) {
    size_t size = counts->contacts * (sizeof(uint32_t) + 2) + 2 * counts->fresh * sizeof(uint32_t);
    for (int k = 0; k < CN_CONTACT_COLUMNS; ++k) {
        size += counts->changes[k] * sizeof(uint32_t);
    }
    return size;
}

void cn_contact_codes_put(const CnContactCodes* codes, CnBytes* out) {
    size_t count = (size_t)codes->masks.count;
    cn_bytes_put_planes(out, codes->sources.data, (size_t)codes->sources.count);
    unsigned char* masks = cn_bytes_extend(out, 2 * count);
    for (size_t i = 0; i < count && masks != NULL; ++i) {
        masks[i] = (unsigned char)(codes->masks.data[i] & 0xFFu);
        masks[count + i] = (unsigned char)(codes->masks.data[i] >> 8);
    }
    for (int side = 0; side < 2; ++side) {
        cn_bytes_put_planes(out, codes->bodies[side].data, (size_t)codes->bodies[side].count);
    }
    for (int k = 0; k < CN_CONTACT_COLUMNS; ++k) {
        cn_bytes_put_planes(out, codes->changes[k].data, (size_t)codes->changes[k].count);
    }
}

// ---- reading ----

// Where the parts of the bytes begin, and how far each is read.
typedef struct Reader {
    const CnContactCounts* counts;
    const unsigned char *sources, *masks, *bodies[2], *changes[CN_CONTACT_COLUMNS];
    size_t fresh, changed[CN_CONTACT_COLUMNS];
    int body_count;
} Reader;

static Reader reader_of(const unsigned char* bytes, const CnContactCounts* counts, int body_count) {
    Reader reader = {.counts = counts, .sources = bytes, .body_count = body_count};
    reader.masks = reader.sources + 4 * counts->contacts;
    reader.bodies[0] = reader.masks + 2 * counts->contacts;
    reader.bodies[1] = reader.bodies[0] + 4 * counts->fresh;
    const unsigned char* at = reader.bodies[1] + 4 * counts->fresh;
    for (int k = 0; k < CN_CONTACT_COLUMNS; ++k) {
        reader.changes[k] = at;
        at += 4 * counts->changes[k];
    }
    return reader;
}

static bool take_fresh(Reader* reader, CnContactLoad* contact) {
    if (reader->fresh >= reader->counts->fresh) {
        return false;
    }
    for (int side = 0; side < 2; ++side) {
        int32_t body =
            (int32_t)cn_plane_get(reader->bodies[side], reader->counts->fresh, reader->fresh);
        if (body < -1 || body >= reader->body_count) {
            return false;
        }
        contact->bodies[side] = body;
    }
    reader->fresh += 1;
    return true;
}

static bool take_changes(Reader* reader, size_t i, CnContactLoad* contact) {
    size_t contacts = reader->counts->contacts;
    unsigned mask = reader->masks[i] | (unsigned)reader->masks[contacts + i] << 8;
    if (mask >> CN_CONTACT_COLUMNS != 0) {
        return false;
    }
    for (int k = 0; k < CN_CONTACT_COLUMNS; ++k) {
        if ((mask >> k & 1u) != 0) {
            size_t count = reader->counts->changes[k], place = reader->changed[k]++;
            if (place >= count) {
                return false;
            }
            uint32_t difference = unzigzag(cn_plane_get(reader->changes[k], count, place));
            int32_t before = code_of(contact->numbers[k]);
            contact->numbers[k] = value_of((int32_t)((uint32_t)before + difference));
        }
    }
    return true;
}

// Contacts from `first` to `end`, behind those of the frame before, from `before` on.
static bool take_frame(Reader* reader, size_t before, size_t first, size_t end,
                       CnContactLoad* contacts) {
    size_t next = before;
    for (size_t i = first; i < end; ++i) {
        uint32_t code = cn_plane_get(reader->sources, reader->counts->contacts, i);
        contacts[i] = (CnContactLoad){0};
        if (code == 1u) {
            if (!take_fresh(reader, &contacts[i])) {
                return false;
            }
        } else {
            size_t source = next + (code == 0 ? 0 : code - 1u);
            if (source >= first) {
                return false;
            }
            contacts[i] = contacts[source];
            next = source + 1;
        }
        if (!take_changes(reader, i, &contacts[i])) {
            return false;
        }
    }
    return true;
}

bool cn_contact_codes_take(const unsigned char* bytes, const CnContactCounts* counts,
                           const uint32_t* starts, int frames, int body_count,
                           CnContactLoad* contacts) {
    Reader reader = reader_of(bytes, counts, body_count);
    bool ok = true;
    for (int f = 0; f < frames && ok; ++f) {
        ok = take_frame(&reader, f == 0 ? starts[0] : starts[f - 1], starts[f], starts[f + 1],
                        contacts);
    }
    for (int k = 0; k < CN_CONTACT_COLUMNS; ++k) {
        ok = ok && reader.changed[k] == counts->changes[k];
    }
    return ok && reader.fresh == counts->fresh;
}
