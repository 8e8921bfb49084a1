// json_parser.h - the state of the JSON parser, shared by its files.
#pragma once

#include "io/text/json.h"

#define CN_JSON_PATH_SIZE 120 // as long as paths in CnSceneProblem
#define CN_JSON_TOKEN_SIZE 24 // of a number or word in a message

typedef struct CnJsonParser {
    char* at;
    char* end; // *end is 0, so reading one character ahead is safe
    int line;
    int depth;
    int value_count;
    CnArena* arena;
    CnJson* chunk; // values not handed out yet   [chunk_left]
    int chunk_left;
    const CnJson* open; // the innermost array or object being read; NULL: none
    const char* key;    // of the next value, NULL: none
    int key_line, index;
    CnErrorList* errors;
} CnJsonParser;

// The next value, at its place in the tree; NULL after an error was reported.
CnJson* cn_json_new_value(CnJsonParser* parser, CnJsonType type);

// Reports an error at the present line, inside the open array or object.
__attribute__((format(printf, 2, 3))) void cn_json_fail(CnJsonParser* parser, const char* format,
                                                        ...);

// The characters up to the next separator, as a message may show them.
const char* cn_json_show_token(const CnJsonParser* parser, char shown[CN_JSON_TOKEN_SIZE]);

// Each starts at the first character of its token; NULL after an error was reported.
const char* cn_json_parse_string(CnJsonParser* parser);
CnJson* cn_json_parse_number(CnJsonParser* parser);
CnJson* cn_json_parse_word(CnJsonParser* parser);

static inline bool cn_json_at_end(const CnJsonParser* parser) {
    return parser->at == parser->end;
}

static inline bool cn_json_is_letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static inline bool cn_json_is_digit(char c) {
    return c >= '0' && c <= '9';
}
