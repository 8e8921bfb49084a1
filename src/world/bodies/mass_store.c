// mass_store.c - mass and inertia as steps read them; bodies that have the same share one record.
#include "world/bodies/mass_store.h"

#include "base/hash.h"

#include <math.h>
#include <string.h>

#define FIRST_BUCKETS 16

const CnMass cn_no_mass = {0};

void cn_mass_store_init(CnMassStore* store, const CnAllocator* allocator) {
    *store = (CnMassStore){.allocator = *allocator};
}

void cn_mass_store_destroy(CnMassStore* store) {
    for (int i = 0; i < store->bucket_count; ++i) {
        for (CnMass* mass = store->buckets[i]; mass != NULL;) {
            CnMass* next = mass->next;
            cn_release(&store->allocator, mass);
            mass = next;
        }
    }
    cn_release(&store->allocator, store->buckets);
    *store = (CnMassStore){.allocator = store->allocator};
}

bool cn_mass_is_finite(const CnMassProperties* properties) {
    const double* inertia = properties->inertia;
    double smallest = fmin(properties->mass, fmin(inertia[0], fmin(inertia[1], inertia[2])));
    double largest = fmax(properties->mass, fmax(inertia[0], fmax(inertia[1], inertia[2])));
    return isfinite(1.0 / smallest) && isfinite(largest);
}

bool cn_inertia_is_diagonal(const double inertia[6]) {
    return inertia[3] == 0.0 && inertia[4] == 0.0 && inertia[5] == 0.0;
}

// The inverse inertia through the principal axes keeps it symmetric and positive however far apart
// the moments are.
static CnMat3 invert_inertia(const CnMat3* inertia) {
    double moment[3];
    CnMat3 axes;
    cn_mat3_eigen_symmetric(inertia, moment, &axes);
    CnMat3 inverse = {
        .m = {{1.0 / moment[0]}, {0.0, 1.0 / moment[1]}, {0.0, 0.0, 1.0 / moment[2]}}};
    return cn_mat3_rotate_tensor(&axes, &inverse);
}

static void fill(CnMass* mass, const CnMassProperties* properties) {
    mass->properties = *properties;
    mass->mass = properties->mass;
    mass->inertia = cn_mat3_from_symmetric(properties->inertia);
    if (!cn_mass_is_finite(properties)) {
        return;
    }
    mass->inverse_mass = 1.0 / properties->mass;
    if (cn_inertia_is_diagonal(properties->inertia)) {
        for (int i = 0; i < 3; ++i) {
            mass->inverse_inertia.m[i][i] = 1.0 / properties->inertia[i];
        }
    } else {
        mass->inverse_inertia = invert_inertia(&mass->inertia);
    }
}

static CnMass** bucket_of(const CnMassStore* store, const CnMassProperties* properties) {
    uint64_t words[sizeof *properties / sizeof(uint64_t)], hash = CN_HASH_SEED;
    _Static_assert(sizeof words == sizeof *properties, "mass properties have padding");
    memcpy(words, properties, sizeof words);
    for (size_t i = 0; i < sizeof words / sizeof words[0]; ++i) {
        hash = cn_hash_mix(hash, words[i]);
    }
    return &store->buckets[hash & (uint64_t)(store->bucket_count - 1)];
}

// One bucket for each record, at least.
static bool grow(CnMassStore* store) {
    CnMassStore larger = *store;
    larger.bucket_count = store->bucket_count == 0 ? FIRST_BUCKETS : 2 * store->bucket_count;
    larger.buckets =
        cn_allocate(&store->allocator, (size_t)larger.bucket_count, sizeof *larger.buckets);
    if (larger.buckets == NULL) {
        return false;
    }
    for (int i = 0; i < store->bucket_count; ++i) {
        for (CnMass* mass = store->buckets[i]; mass != NULL;) {
            CnMass *next = mass->next, **bucket = bucket_of(&larger, &mass->properties);
            mass->next = *bucket;
            *bucket = mass;
            mass = next;
        }
    }
    cn_release(&store->allocator, store->buckets);
    *store = larger;
    return true;
}

// Numbers that are equal but not the same, 0 and -0, have records of their own.
static bool is_same(const CnMassProperties* a, const CnMassProperties* b) {
    return memcmp(a, b, sizeof *a) == 0;
}

const CnMass* cn_mass_take(CnMassStore* store, const CnMassProperties* properties) {
    if (store->count == store->bucket_count && !grow(store)) {
        return NULL;
    }
    CnMass **bucket = bucket_of(store, properties), *mass = *bucket;
    while (mass != NULL && !is_same(&mass->properties, properties)) {
        mass = mass->next;
    }
    if (mass == NULL) {
        mass = cn_allocate(&store->allocator, 1, sizeof *mass);
        if (mass == NULL) {
            return NULL;
        }
        fill(mass, properties);
        mass->next = *bucket;
        *bucket = mass;
        store->count += 1;
    }
    mass->users += 1;
    return mass;
}

void cn_mass_drop(CnMassStore* store, const CnMass* dropped) {
    if (dropped == NULL) {
        return;
    }
    CnMass** link = bucket_of(store, &dropped->properties);
    while (*link != dropped) {
        link = &(*link)->next;
    }
    CnMass* mass = *link;
    mass->users -= 1;
    if (mass->users == 0) {
        *link = mass->next;
        store->count -= 1;
        cn_release(&store->allocator, mass);
    }
}
