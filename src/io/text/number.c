// number.c - switches to the C locale while numbers are converted.
#include "io/text/number.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool cn_number_scope_begin(CnNumberScope* scope) {
    scope->c = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    if (scope->c == (locale_t)0) {
        return false;
    }
    scope->before = uselocale(scope->c);
    return true;
}

void cn_number_scope_end(CnNumberScope* scope) {
    uselocale(scope->before);
    freelocale(scope->c);
}

bool cn_number_format(double value, char text[CN_NUMBER_SIZE]) {
    CnNumberScope scope;
    if (!cn_number_scope_begin(&scope)) {
        return false;
    }
    for (int digits = 15; digits <= 17; ++digits) { // 15 always survive, 17 always suffice
        snprintf(text, CN_NUMBER_SIZE, "%.*g", digits, value);
        double back = strtod(text, NULL);
        if (memcmp(&back, &value, sizeof value) == 0) {
            break;
        }
    }
    cn_number_scope_end(&scope);
    return true;
}
