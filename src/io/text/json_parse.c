// json_parse.c - parses arrays, objects and whole JSON texts.
#include "io/text/json_parser.h"

#include "base/hash.h"
#include "io/text/number.h"
#include "io/text/text.h"
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define CHUNK_VALUES 256 // values taken from the arena at once
#define FEW_MEMBERS 16   // up to here comparing all pairs of keys is faster than hashing

static CnJson* parse_value(CnJsonParser* parser);

CnJson* cn_json_new_value(CnJsonParser* parser, CnJsonType type) {
    if (parser->value_count == CN_JSON_MAX_VALUES) {
        cn_report_error(parser->errors, CN_NO_MEMORY, parser->line, "",
                        "there are more than %d values; that is the limit", CN_JSON_MAX_VALUES);
        return NULL;
    }
    if (parser->chunk_left == 0) {
        parser->chunk = CN_ARENA_NEW(parser->arena, CnJson, CHUNK_VALUES);
        if (parser->chunk == NULL) {
            cn_report_no_memory(parser->errors);
            return NULL;
        }
        parser->chunk_left = CHUNK_VALUES;
    }
    parser->value_count += 1;
    parser->chunk_left -= 1;
    CnJson* value = parser->chunk++;
    value->type = type;
    value->line = parser->line;
    value->parent = parser->open;
    value->key = parser->key;
    value->key_line = parser->key_line;
    value->index = parser->index;
    parser->key = NULL; // values inside have their own keys
    return value;
}

void cn_json_fail(CnJsonParser* parser, const char* format, ...) {
    char path[CN_JSON_PATH_SIZE], message[sizeof parser->errors->first.message];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    CnJson next = {.parent = parser->open, .key = parser->key}; // the value about to be read
    cn_json_path(parser->key != NULL ? &next : parser->open, path, sizeof path);
    cn_report_error(parser->errors, CN_INVALID, parser->line, path, "%s", message);
}

static void skip_space(CnJsonParser* parser) {
    for (; parser->at < parser->end; ++parser->at) {
        if (*parser->at == '\n') {
            parser->line += 1;
        } else if (*parser->at != ' ' && *parser->at != '\t' && *parser->at != '\r') {
            return;
        }
    }
}

static void fail_truncated(CnJsonParser* parser) {
    if (parser->open == NULL) {
        cn_json_fail(parser, "the file ends too early");
    } else {
        cn_json_fail(parser, "the file ends inside the %s that began on line %d",
                     parser->open->type == CN_JSON_OBJECT ? "object" : "array", parser->open->line);
    }
}

const char* cn_json_show_token(const CnJsonParser* parser, char shown[CN_JSON_TOKEN_SIZE]) {
    const char* start = parser->at;
    size_t length = 0, room = CN_JSON_TOKEN_SIZE - 1, left = (size_t)(parser->end - start);
    while (length < left && length < room && strchr(" \t\r\n,:]}\"", start[length]) == NULL) {
        ++length;
    }
    memcpy(shown, start, length);
    shown[length] = 0;
    cn_text_trim(shown);
    for (char* c = shown; *c != 0; ++c) {
        *c = (unsigned char)*c < 0x20 || *c == 0x7f ? '?' : *c;
    }
    return shown;
}

static void fail_expected(CnJsonParser* parser, const char* expected) {
    char shown[CN_JSON_TOKEN_SIZE];
    if (cn_json_at_end(parser)) {
        fail_truncated(parser);
    } else if (*parser->at == '/' || *parser->at == '#') {
        cn_json_fail(parser, "expected %s, found '%c'; JSON has no comments", expected,
                     *parser->at);
    } else if (*parser->at == '"') {
        cn_json_fail(parser, "expected %s, found a string", expected);
    } else if (cn_json_show_token(parser, shown)[0] != 0) {
        cn_json_fail(parser, "expected %s, found %s", expected, shown);
    } else {
        cn_json_fail(parser, "expected %s, found '%c'", expected, *parser->at);
    }
}

// A map from hashes of keys to members: two members with the same hash are compared.
static const CnJson* find_duplicate_hashed(const CnJsonParser* parser, const CnJson* object,
                                           bool* no_memory) {
    CnMap seen;
    cn_map_init(&seen, &parser->arena->allocator);
    const CnJson* duplicate = NULL;
    for (const CnJson* member = object->first; member != NULL && duplicate == NULL;
         member = member->next) {
        uint64_t hash = cn_hash_bytes(CN_HASH_SEED, member->key, strlen(member->key));
        if (cn_map_get(&seen, hash) >= 0 && cn_json_member(object, member->key) != member) {
            duplicate = member;
        } else if (!cn_map_set(&seen, hash, member->index)) {
            *no_memory = true;
            break;
        }
    }
    cn_map_destroy(&seen);
    return duplicate;
}

static bool check_duplicates(CnJsonParser* parser, const CnJson* object) {
    const CnJson* duplicate = NULL;
    bool no_memory = false;
    if (object->count > FEW_MEMBERS) {
        duplicate = find_duplicate_hashed(parser, object, &no_memory);
    } else {
        for (const CnJson* m = object->first; m != NULL && duplicate == NULL; m = m->next) {
            duplicate = cn_json_member(object, m->key) != m ? m : NULL;
        }
    }
    if (no_memory) {
        return cn_report_no_memory(parser->errors);
    }
    if (duplicate == NULL) {
        return true;
    }
    char shown[CN_SHOWN_SIZE], path[CN_JSON_PATH_SIZE];
    cn_json_path(object, path, sizeof path);
    return cn_report_error(parser->errors, CN_INVALID, duplicate->key_line, path,
                           "\"%s\" is given twice, first on line %d",
                           cn_text_show(duplicate->key, shown),
                           cn_json_member(object, duplicate->key)->key_line);
}

static CnJson* parse_member(CnJsonParser* parser) {
    if (cn_json_at_end(parser) || *parser->at != '"') {
        fail_expected(parser, "a key in double quotes");
        return NULL;
    }
    int key_line = parser->line;
    const char* key = cn_json_parse_string(parser);
    if (key == NULL) {
        return NULL;
    }
    skip_space(parser);
    if (cn_json_at_end(parser) || *parser->at != ':') {
        fail_expected(parser, "':' after a key");
        return NULL;
    }
    parser->at += 1;
    skip_space(parser);
    parser->key = key;
    parser->key_line = key_line;
    return parse_value(parser);
}

// After an element or member: false at the closing bracket or a mistake.
static bool parse_separator(CnJsonParser* parser, char close, bool* failed) {
    skip_space(parser);
    if (!cn_json_at_end(parser) && *parser->at == ',') {
        parser->at += 1;
        skip_space(parser);
        if (!cn_json_at_end(parser) && *parser->at == close) {
            cn_json_fail(parser, "a comma stands before the closing '%c'", close);
            *failed = true;
            return false;
        }
        return true;
    }
    if (cn_json_at_end(parser) || *parser->at != close) {
        fail_expected(parser, close == '}' ? "',' or '}' in an object" : "',' or ']' in an array");
        *failed = true;
    }
    return false;
}

// The content between the brackets; the container is already open.
static bool parse_content(CnJsonParser* parser, CnJson* container, char close) {
    CnJson** link = &container->first;
    bool failed = false;
    skip_space(parser);
    bool more = cn_json_at_end(parser) || *parser->at != close;
    while (more) {
        parser->index = container->count;
        CnJson* value = close == '}' ? parse_member(parser) : parse_value(parser);
        if (value == NULL) {
            return false;
        }
        container->count += 1;
        *link = value;
        link = &value->next;
        more = parse_separator(parser, close, &failed);
    }
    return !failed && (close != '}' || check_duplicates(parser, container));
}

static CnJson* parse_container(CnJsonParser* parser, CnJsonType type) {
    if (parser->depth == CN_JSON_MAX_DEPTH) {
        cn_report_error(parser->errors, CN_INVALID, parser->line, "",
                        "objects and arrays are nested more than %d deep", CN_JSON_MAX_DEPTH);
        return NULL;
    }
    CnJson* container = cn_json_new_value(parser, type);
    if (container == NULL) {
        return NULL;
    }
    const CnJson* outer = parser->open;
    parser->open = container;
    parser->depth += 1;
    parser->at += 1;
    if (!parse_content(parser, container, type == CN_JSON_OBJECT ? '}' : ']')) {
        return NULL;
    }
    parser->at += 1;
    parser->depth -= 1;
    parser->open = outer;
    return container;
}

static CnJson* parse_value(CnJsonParser* parser) {
    char c = cn_json_at_end(parser) ? 0 : *parser->at;
    if (c == '{' || c == '[') {
        return parse_container(parser, c == '{' ? CN_JSON_OBJECT : CN_JSON_ARRAY);
    }
    if (c == '"') {
        const char* text = cn_json_parse_string(parser);
        CnJson* value = text != NULL ? cn_json_new_value(parser, CN_JSON_STRING) : NULL;
        if (value != NULL) {
            value->string = text;
        }
        return value;
    }
    bool is_sign = c == '-' || c == '+';
    if (cn_json_is_letter(c) || (is_sign && cn_json_is_letter(parser->at[1]))) {
        return cn_json_parse_word(parser);
    }
    if (cn_json_is_digit(c) || is_sign || c == '.') {
        return cn_json_parse_number(parser);
    }
    fail_expected(parser, "a value");
    return NULL;
}

// Checks for UTF-8 and for null characters once, so that later stages need not.
static bool check_text(CnJsonParser* parser) {
    int line = 1;
    for (const char* at = parser->at; at < parser->end;) {
        int size = cn_text_sequence(at, (size_t)(parser->end - at));
        if (size == 0 || *at == 0) {
            return cn_report_error(parser->errors, CN_INVALID, line, "",
                                   "byte 0x%02x is not UTF-8 text", (unsigned)(unsigned char)*at);
        }
        line += *at == '\n';
        at += size;
    }
    return true;
}

static const CnJson* parse_text(CnJsonParser* parser) {
    skip_space(parser);
    if (cn_json_at_end(parser)) {
        cn_report_error(parser->errors, CN_INVALID, parser->line, "", "the file is empty");
        return NULL;
    }
    const CnJson* top = parse_value(parser);
    skip_space(parser);
    if (top != NULL && !cn_json_at_end(parser)) {
        fail_expected(parser, "nothing more after the end of the value");
        return NULL;
    }
    return top;
}

const CnJson* cn_json_parse(char* text, size_t length, CnArena* arena, CnErrorList* errors) {
    static const char byte_order_mark[] = "\xef\xbb\xbf";
    CnJsonParser parser = {
        .at = text, .end = text + length, .line = 1, .arena = arena, .errors = errors};
    if (length > CN_JSON_MAX_BYTES) {
        cn_report_error(errors, CN_NO_MEMORY, 0, "", "%zu bytes are more than the limit of %u",
                        length, CN_JSON_MAX_BYTES);
        return NULL;
    }
    if (!check_text(&parser)) {
        return NULL;
    }
    if (length >= 3 && memcmp(text, byte_order_mark, 3) == 0) {
        parser.at += 3;
    }
    CnNumberScope scope;
    if (!cn_number_scope_begin(&scope)) {
        cn_report_no_memory(errors);
        return NULL;
    }
    const CnJson* top = parse_text(&parser);
    cn_number_scope_end(&scope);
    return top;
}
