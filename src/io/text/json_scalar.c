// json_scalar.c - numbers and words in JSON text.
#include "io/text/json_parser.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char* skip_digits(const char* at) {
    while (cn_json_is_digit(*at)) {
        ++at;
    }
    return at;
}

// number = [-] (0 | 1-9 digits) [. digits] [e [+-] digits]; NULL if text is not a number. The text
// ends with a null character, so reading one character ahead is safe.
static const char* scan_number(const char* at) {
    at += *at == '-';
    const char* digits = at;
    at = skip_digits(at);
    if (at == digits || (*digits == '0' && at > digits + 1)) {
        return NULL;
    }
    if (*at == '.') {
        const char* fraction = at + 1;
        at = skip_digits(fraction);
        if (at == fraction) {
            return NULL;
        }
    }
    if (*at == 'e' || *at == 'E') {
        at += 1 + (at[1] == '+' || at[1] == '-');
        const char* exponent = at;
        at = skip_digits(exponent);
        if (at == exponent) {
            return NULL;
        }
    }
    return *at != 0 && (cn_json_is_letter(*at) || strchr("+-.", *at) != NULL) ? NULL : at;
}

CnJson* cn_json_parse_number(CnJsonParser* parser) {
    char shown[CN_JSON_TOKEN_SIZE];
    const char* end = scan_number(parser->at);
    if (end == NULL) {
        cn_json_show_token(parser, shown);
        cn_json_fail(parser, "\"%s\" is not a number as JSON writes them (0.5, -3, 1e-8)", shown);
        return NULL;
    }
    double number = strtod(parser->at, NULL);
    if (!isfinite(number)) {
        cn_json_show_token(parser, shown);
        cn_json_fail(parser, "%s is too large; numbers must be below 1.8e308", shown);
        return NULL;
    }
    CnJson* value = cn_json_new_value(parser, CN_JSON_NUMBER);
    if (value != NULL) {
        value->number = number;
        parser->at += end - parser->at;
    }
    return value;
}

static CnJson* fail_word(CnJsonParser* parser, const char* word) {
    static const char* const words[] = {"true", "false", "null"};
    static const char* const numbers[] = {"nan", "inf", "infinity"};
    char shown[CN_JSON_TOKEN_SIZE];
    const char* nearest = cn_nearest_name(word, words, 3);
    cn_json_show_token(parser, shown);
    if (cn_nearest_name(word, numbers, 3) != NULL) {
        cn_json_fail(parser, "%s is not a JSON number; every number must be finite", shown);
    } else if (nearest != NULL) {
        cn_json_fail(parser, "%s is not a JSON value; did you mean %s?", shown, nearest);
    } else {
        cn_json_fail(parser, "%s is not a JSON value; strings stand in double quotes", shown);
    }
    return NULL;
}

// true, false or null; a word with a sign (-Infinity) is an error.
CnJson* cn_json_parse_word(CnJsonParser* parser) {
    char word[CN_JSON_TOKEN_SIZE];
    size_t length = 0, sign = cn_json_is_letter(*parser->at) ? 0 : 1;
    while (length < sizeof word - 1 && cn_json_is_letter(parser->at[sign + length])) {
        word[length] = parser->at[sign + length];
        ++length;
    }
    word[length] = 0;
    bool is_true = strcmp(word, "true") == 0;
    bool is_boolean = is_true || strcmp(word, "false") == 0;
    if (sign > 0 || (!is_boolean && strcmp(word, "null") != 0)) {
        return fail_word(parser, word);
    }
    CnJson* value = cn_json_new_value(parser, is_boolean ? CN_JSON_BOOLEAN : CN_JSON_NULL);
    if (value != NULL) {
        value->boolean = is_true;
        parser->at += length;
    }
    return value;
}
