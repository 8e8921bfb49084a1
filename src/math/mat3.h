// mat3.h - 3 x 3 matrices as values.
#pragma once

#include "cairn/math.h"

static inline CnVec3 cn_mat3_apply(const CnMat3* a, CnVec3 v) {
    return cn_vec3(a->m[0][0] * v.x + a->m[0][1] * v.y + a->m[0][2] * v.z,
                   a->m[1][0] * v.x + a->m[1][1] * v.y + a->m[1][2] * v.z,
                   a->m[2][0] * v.x + a->m[2][1] * v.y + a->m[2][2] * v.z);
}

// The transpose of a times v; for a rotation this is the inverse rotation.
static inline CnVec3 cn_mat3_apply_transposed(const CnMat3* a, CnVec3 v) {
    return cn_vec3(a->m[0][0] * v.x + a->m[1][0] * v.y + a->m[2][0] * v.z,
                   a->m[0][1] * v.x + a->m[1][1] * v.y + a->m[2][1] * v.z,
                   a->m[0][2] * v.x + a->m[1][2] * v.y + a->m[2][2] * v.z);
}

CnMat3 cn_mat3_multiply(const CnMat3* a, const CnMat3* b);
CnMat3 cn_mat3_transpose(const CnMat3* a);
CnMat3 cn_mat3_from_quat(CnQuat q);
CnMat3 cn_mat3_from_symmetric(const double s[6]); // xx yy zz xy xz yz
double cn_mat3_determinant(const CnMat3* a);

// False when the matrix is singular to working precision; out is then untouched.
bool cn_mat3_invert(const CnMat3* a, CnMat3* out);

// R S R^T for symmetric S: a tensor seen from other axes. The result is symmetric to the bit.
CnMat3 cn_mat3_rotate_tensor(const CnMat3* rotation, const CnMat3* tensor);

// Eigenvalues (ascending) and unit eigenvectors (columns) of a symmetric matrix, by Jacobi
// rotations. The vectors are a rotation: determinant +1.
void cn_mat3_eigen_symmetric(const CnMat3* a, double values[3], CnMat3* vectors);
