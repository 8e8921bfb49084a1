// schemes.c - the schemes there are.
#include "world/schemes/schemes.h"

const CnSchemeTable* const cn_schemes[CN_SCHEME_COUNT] = {
    [CN_SCHEME_MOREAU] = &cn_scheme_moreau,
    [CN_SCHEME_ACCELERATION] = &cn_scheme_acceleration,
    [CN_SCHEME_IMPLICIT] = &cn_scheme_implicit,
    [CN_SCHEME_QUASI_STATIC] = &cn_scheme_quasi_static,
    [CN_SCHEME_SOFT_STEP] = &cn_scheme_soft_step,
};
