// mass_store.c - mass and inertia as steps read them; bodies that have the same share one record.
#include "world/bodies/mass_store.h"

#include "base/hash.h"

#include <math.h>
#include <string.h>

const CnMass cn_no_mass = {0};

typedef struct SharedMass {
    CnSharedRecord shared;
    CnMass mass;
} SharedMass;

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

static uint64_t hash_of(const CnMassProperties* properties) {
    uint64_t words[sizeof *properties / sizeof(uint64_t)], hash = CN_HASH_SEED;
    _Static_assert(sizeof words == sizeof *properties, "mass properties have padding");
    memcpy(words, properties, sizeof words);
    for (size_t i = 0; i < sizeof words / sizeof words[0]; ++i) {
        hash = cn_hash_mix(hash, words[i]);
    }
    return hash;
}

// Compared bit by bit: 0 and -0, which compare equal as numbers, have separate records.
static bool is_same(const CnSharedRecord* record, const void* properties) {
    const CnMass* mass = &((const SharedMass*)record)->mass;
    return memcmp(&mass->properties, properties, sizeof mass->properties) == 0;
}

const CnMass* cn_mass_take(CnSharedStore* store, const CnMassProperties* properties) {
    uint64_t hash = hash_of(properties);
    SharedMass* record = (SharedMass*)cn_shared_find(store, hash, properties, is_same);
    if (record == NULL) {
        record = (SharedMass*)cn_shared_add(store, hash, sizeof *record);
        if (record == NULL) {
            return NULL;
        }
        fill(&record->mass, properties);
    }
    return &record->mass;
}

void cn_mass_drop(CnSharedStore* store, const CnMass* mass) {
    SharedMass* record =
        mass == NULL ? NULL : (SharedMass*)((char*)mass - offsetof(SharedMass, mass));
    if (record != NULL && cn_shared_drop(store, &record->shared)) {
        cn_release(&store->allocator, record);
    }
}
