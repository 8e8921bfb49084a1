// json_string.c - strings in JSON text: escapes decoded in place.
#include "io/text/json_parser.h"

#include <string.h>

static int hex_digit(char c) {
    return cn_json_is_digit(c)    ? c - '0'
           : c >= 'a' && c <= 'f' ? c - 'a' + 10
           : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                  : -1;
}

// The four hex digits at text; -1 if there are not four.
static int hex_quad(const CnJsonParser* parser, const char* text) {
    int code = 0;
    for (int i = 0; i < 4; ++i) {
        int digit = text + i < parser->end ? hex_digit(text[i]) : -1;
        if (digit < 0) {
            return -1;
        }
        code = code * 16 + digit;
    }
    return code;
}

static char* write_utf8(int code, char* out) {
    if (code < 0x80) {
        *out++ = (char)code;
    } else if (code < 0x800) {
        *out++ = (char)(0xc0 | code >> 6);
        *out++ = (char)(0x80 | (code & 0x3f));
    } else if (code < 0x10000) {
        *out++ = (char)(0xe0 | code >> 12);
        *out++ = (char)(0x80 | (code >> 6 & 0x3f));
        *out++ = (char)(0x80 | (code & 0x3f));
    } else {
        *out++ = (char)(0xf0 | code >> 18);
        *out++ = (char)(0x80 | (code >> 12 & 0x3f));
        *out++ = (char)(0x80 | (code >> 6 & 0x3f));
        *out++ = (char)(0x80 | (code & 0x3f));
    }
    return out;
}

// parser->at is after "\u". Two surrogates make one character; a single one is an error.
static bool parse_unicode_escape(CnJsonParser* parser, char** out) {
    int code = hex_quad(parser, parser->at);
    if (code < 0) {
        cn_json_fail(parser, "\\u in a string needs four hexadecimal digits");
        return false;
    }
    parser->at += 4;
    if (code >= 0xd800 && code < 0xdc00) {
        bool escaped =
            parser->end - parser->at >= 2 && parser->at[0] == '\\' && parser->at[1] == 'u';
        int low = escaped ? hex_quad(parser, parser->at + 2) : -1;
        if (low >= 0xdc00 && low < 0xe000) {
            code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
            parser->at += 6;
        }
    }
    if (code == 0) {
        cn_json_fail(parser, "a string may not hold the null character");
        return false;
    }
    if (code >= 0xd800 && code < 0xe000) {
        cn_json_fail(parser, "\\u%04x in a string is half of a surrogate pair", (unsigned)code);
        return false;
    }
    *out = write_utf8(code, *out);
    return true;
}

static bool parse_escape(CnJsonParser* parser, char** out) {
    static const char letters[] = "\"\\/bfnrt";
    static const char meanings[] = "\"\\/\b\f\n\r\t";
    char letter = ++parser->at < parser->end ? *parser->at : 0;
    if (letter == 'u') {
        parser->at += 1;
        return parse_unicode_escape(parser, out);
    }
    const char* found = letter != 0 ? strchr(letters, letter) : NULL;
    if (found == NULL) {
        cn_json_fail(parser,
                     "a backslash in a string must be followed by one of \" \\ / b f n r t u");
        return false;
    }
    *(*out)++ = meanings[found - letters];
    parser->at += 1;
    return true;
}

static void fail_control(CnJsonParser* parser) {
    if (*parser->at == '\n') {
        cn_json_fail(parser, "a string is not closed at the end of its line");
    } else {
        cn_json_fail(parser, "a string holds a control character; write \\u%04x for it",
                     (unsigned)*parser->at);
    }
}

// The string at parser->at, decoded in place: no escape is shorter than the character it stands
// for.
const char* cn_json_parse_string(CnJsonParser* parser) {
    const char* start = ++parser->at;
    char* out = parser->at;
    while (!cn_json_at_end(parser) && *parser->at != '"') {
        if (*parser->at == '\\') {
            if (!parse_escape(parser, &out)) {
                return NULL;
            }
        } else if ((unsigned char)*parser->at < 0x20) {
            fail_control(parser);
            return NULL;
        } else {
            *out++ = *parser->at++;
        }
    }
    if (cn_json_at_end(parser)) {
        cn_json_fail(parser, "the file ends inside a string");
        return NULL;
    }
    parser->at += 1;
    *out = 0;
    return start;
}
