// math_bits.c - prints a hash of the bits of everything src/math computes, function by function.
#include "base/hash.h"
#include "cairn/random.h"
#include "math/mat3.h"

#include <stdio.h>
#include <string.h>

enum { POINTS = 100000 };

static uint64_t fold(uint64_t hash, double value) {
    return cn_hash_bytes(hash, &value, sizeof value);
}

static uint64_t fold_vector(uint64_t hash, CnVec3 v) {
    return fold(fold(fold(hash, v.x), v.y), v.z);
}

static uint64_t fold_quat(uint64_t hash, CnQuat q) {
    return fold_vector(fold(hash, q.w), cn_vec3(q.x, q.y, q.z));
}

static uint64_t fold_matrix(uint64_t hash, const CnMat3* a) {
    for (int i = 0; i < 3; ++i) {
        hash = fold_vector(hash, cn_vec3(a->m[i][0], a->m[i][1], a->m[i][2]));
    }
    return hash;
}

// Any bit pattern at all: infinities, NaN and subnormals too. Every second is of everyday size.
static double any_double(CnRandom* random) {
    uint64_t bits = cn_random_next(random);
    if (bits % 2 == 0) {
        return cn_random_between(random, -10.0, 10.0);
    }
    double x = 0.0;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static CnVec3 everyday_vector(CnRandom* random) {
    double x = cn_random_between(random, -4.0, 4.0);
    double y = cn_random_between(random, -4.0, 4.0);
    return cn_vec3(x, y, cn_random_between(random, -4.0, 4.0));
}

static void print_function(const char* name, double (*function)(double), double scale) {
    CnRandom random = {1};
    uint64_t hash = CN_HASH_SEED;
    for (int i = 0; i < POINTS; ++i) {
        hash = fold(hash, function(scale * any_double(&random)));
    }
    printf("%s %016llx\n", name, (unsigned long long)hash);
}

static void print_arctangent(void) {
    CnRandom random = {2};
    uint64_t hash = CN_HASH_SEED;
    for (int i = 0; i < POINTS; ++i) {
        double y = any_double(&random), x = any_double(&random);
        hash = fold(hash, cn_atan2(y, x));
    }
    printf("atan2 %016llx\n", (unsigned long long)hash);
}

static void print_rotations(void) {
    CnRandom random = {3};
    uint64_t hash = CN_HASH_SEED;
    for (int i = 0; i < POINTS; ++i) {
        CnVec3 v = everyday_vector(&random), t1, t2;
        CnQuat q = cn_quat_exp(v);
        cn_tangent_basis(cn_vec3_normalize(v), &t1, &t2);
        hash = fold_quat(hash, q);
        hash = fold_vector(hash, cn_quat_log(q));
        hash = fold_quat(hash, cn_quat_from_axis_angle(v, v.x));
        hash = fold_vector(fold_vector(hash, t1), t2);
        hash = fold_vector(hash, cn_quat_rotate(q, t1));
    }
    printf("rotations %016llx\n", (unsigned long long)hash);
}

static void print_matrices(void) {
    CnRandom random = {4};
    uint64_t hash = CN_HASH_SEED;
    for (int i = 0; i < POINTS; ++i) {
        CnVec3 a = everyday_vector(&random), b = everyday_vector(&random);
        CnMat3 s = cn_mat3_from_symmetric((const double[6]){a.x, a.y, a.z, b.x, b.y, b.z});
        CnMat3 r = cn_mat3_from_quat(cn_quat_exp(a)), vectors, inverse;
        CnMat3 turned = cn_mat3_rotate_tensor(&r, &s), product = cn_mat3_multiply(&r, &s);
        double values[3];
        cn_mat3_eigen_symmetric(&s, values, &vectors);
        if (cn_mat3_invert(&s, &inverse)) {
            hash = fold_matrix(hash, &inverse);
        }
        hash = fold_vector(hash, cn_vec3(values[0], values[1], values[2]));
        hash = fold_matrix(fold_matrix(fold_matrix(hash, &vectors), &turned), &product);
    }
    printf("matrices %016llx\n", (unsigned long long)hash);
}

int main(void) {
    print_function("sin", cn_sin, 1.0);
    print_function("cos", cn_cos, 1.0);
    print_function("exp", cn_exp, 1.0);
    print_function("acos", cn_acos, 0.1); // every second within the domain
    print_arctangent();
    print_rotations();
    print_matrices();
    return 0;
}
