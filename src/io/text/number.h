// number.h - numbers as text and back, the same in every locale and exact to the last bit.
//
// strtod and printf round correctly but follow the caller's locale, which may write 0,5. A scope
// switches the calling thread to the C locale and back; the locale of the process does not change.
#pragma once

#include "cairn/base.h"
#include <locale.h>

typedef struct CnNumberScope {
    locale_t c, before;
} CnNumberScope;

// False: no memory; then there is no scope to end.
bool cn_number_scope_begin(CnNumberScope* scope);
void cn_number_scope_end(CnNumberScope* scope);

#define CN_NUMBER_SIZE 32 // longest is -1.2345678901234567e-308: 24 characters

// The fewest digits (15 to 17) that read back as the same finite number. False: no memory.
bool cn_number_format(double value, char text[CN_NUMBER_SIZE]);
