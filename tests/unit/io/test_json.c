// test_json.c - the JSON reader: values, lines, paths and what it refuses.
#include "support/test.h"

#include "io/text/json.h"
#include "support/failing_allocator.h"
#include <locale.h>
#include <stdio.h>

static CnArena arena;
static CnErrorList errors;

static const CnJson* parse_bytes(const char* text, size_t length) {
    cn_arena_destroy(&arena);
    cn_arena_init(&arena, NULL);
    cn_error_list_init(&errors, "x.json", NULL, 0);
    char* copy = CN_ARENA_NEW(&arena, char, length + 1);
    memcpy(copy, text, length);
    return cn_json_parse(copy, length, &arena, &errors);
}

static const CnJson* parse(const char* text) {
    return parse_bytes(text, strlen(text));
}

static double number(const char* text) {
    const CnJson* value = parse(text);
    CHECK(value != NULL && value->type == CN_JSON_NUMBER);
    return value->number;
}

static void values_keep_the_line_they_begin_on(void) {
    const CnJson* top = parse("\n{\"a\": 1,\n \"b\"\n:\n[true,\n null]}");
    CHECK_INT(top->line, 2);
    const CnJson* b = cn_json_member(top, "b");
    CHECK_INT(b->key_line, 3);
    CHECK_INT(b->line, 5);
    CHECK_INT(b->first->next->line, 6);
}

static void a_value_knows_its_path(void) {
    const CnJson* top = parse("{\"bodies\": [{}, {\"mass\": [1, 2]}]}");
    const CnJson* two = cn_json_follow(top, "bodies[1].mass[1]");
    char path[64];
    cn_json_path(two, path, sizeof path);
    CHECK_STRING(path, "bodies[1].mass[1]");
    CHECK_NEAR(two->number, 2.0, 0.0);
}

static void following_a_path_stops_at_the_last_value_there_is(void) {
    const CnJson* top = parse("{\"bodies\": [{\"mass\": 1}]}");
    const CnJson* body = cn_json_follow(top, "bodies[0]");
    CHECK(cn_json_follow(top, "bodies[0].inertia[2]") == body);
    CHECK(cn_json_follow(top, "bodies[7]") == cn_json_member(top, "bodies"));
}

static void numbers_are_exact(void) {
    CHECK(number("0.1") == 0.1);
    CHECK(number("-0") == 0.0 && signbit(number("-0")));
    CHECK(number("1E+2") == 100.0);
    CHECK(number("1.7976931348623157e308") == 1.7976931348623157e308);
    CHECK(number("5e-324") == 5e-324);                       // the smallest subnormal
    CHECK(number("1e-999") == 0.0);                          // below it zero is nearest
    CHECK(number("9007199254740993") == 9007199254740992.0); // a tie goes to even
}

static void a_locale_with_decimal_commas_changes_nothing(void) {
    // Not every machine has one; where there is none the test still holds the C locale to it.
    const char* names[] = {"de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8", "nl_NL.UTF-8"};
    for (int i = 0; i < 4 && setlocale(LC_ALL, names[i]) == NULL; ++i) {
    }
    char before[64];
    snprintf(before, sizeof before, "%s", setlocale(LC_ALL, NULL));
    CHECK(number("0.5") == 0.5);
    CHECK_STRING(setlocale(LC_ALL, NULL), before);
}

static void strings_are_decoded(void) {
    CHECK_STRING(parse("\"a\\n\\\"\\\\\\/\\t\"")->string, "a\n\"\\/\t");
    CHECK_STRING(parse("\"\\u00e9\\u20ac\\ud83d\\ude00\"")->string,
                 "\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80");
    CHECK_STRING(parse("\"\"")->string, "");
}

static void a_byte_order_mark_is_skipped(void) {
    CHECK(number("\xef\xbb\xbf 7") == 7.0);
}

// What is refused, on which line, in which words.
static const struct {
    const char* text;
    int line;
    const char* words;
} refused[] = {
    {"", 1, "the file is empty"},
    {" \n\t\n", 3, "the file is empty"},
    {"[1, 2", 1, "ends inside the array that began on line 1"},
    {"{\n\"a\": {\n\"b\": 1\n", 4, "ends inside the object that began on line 2"},
    {"\"abc", 1, "ends inside a string"},
    {"{\"a\": 1,}", 1, "a comma stands before the closing '}'"},
    {"[1,]", 1, "a comma stands before the closing ']'"},
    {"[1 2]", 1, "expected ',' or ']' in an array, found 2"},
    {"{\"a\" 1}", 1, "expected ':' after a key"},
    {"{a: 1}", 1, "expected a key in double quotes, found a"},
    {"{'a': 1}", 1, "expected a key in double quotes, found 'a'"},
    {"{\"a\": 1 \"b\": 2}", 1, "found a string"},
    {"{\"a\": ,}", 1, "expected a value, found ','"},
    {"// x\n{}", 1, "JSON has no comments"},
    {"{} {}", 1, "nothing more after the end"},
    {"NaN", 1, "every number must be finite"},
    {"[1,\n-Infinity]", 2, "every number must be finite"},
    {"inf", 1, "every number must be finite"},
    {"1e999", 1, "1e999 is too large"},
    {"-1e999", 1, "-1e999 is too large"},
    {"+1", 1, "is not a number as JSON writes them"},
    {".5", 1, "is not a number as JSON writes them"},
    {"1.", 1, "is not a number as JSON writes them"},
    {"01", 1, "is not a number as JSON writes them"},
    {"1e", 1, "is not a number as JSON writes them"},
    {"0x10", 1, "is not a number as JSON writes them"},
    {"1.2.3", 1, "is not a number as JSON writes them"},
    {"--1", 1, "is not a number as JSON writes them"},
    {"True", 1, "did you mean true?"},
    {"stone", 1, "strings stand in double quotes"},
    {"\"a\nb\"", 1, "not closed at the end of its line"},
    {"\"a\tb\"", 1, "control character; write \\u0009"},
    {"\"\\x\"", 1, "a backslash in a string"},
    {"\"\\u12\"", 1, "four hexadecimal digits"},
    {"\"\\u0000\"", 1, "null character"},
    {"\"\\ud800\"", 1, "half of a surrogate pair"},
    {"\"\\udc00\\ud800\"", 1, "half of a surrogate pair"},
    {"\n\"\xff\"", 2, "byte 0xff is not UTF-8"},
    {"\"\xc0\x80\"", 1, "byte 0xc0 is not UTF-8"},         // overlong
    {"\"\xed\xa0\x80\"", 1, "byte 0xed is not UTF-8"},     // a surrogate
    {"\"\xf4\x90\x80\x80\"", 1, "byte 0xf4 is not UTF-8"}, // beyond U+10FFFF
    {"\"\xe2\x82", 1, "byte 0xe2 is not UTF-8"},           // cut off
    {"{\"a\": 1,\n\"b\": 2,\n\"a\": 3}", 3, "\"a\" is given twice, first on line 1"},
};

static void mistakes_are_refused_with_their_line(void) {
    for (size_t i = 0; i < sizeof refused / sizeof refused[0]; ++i) {
        CHECK(parse(refused[i].text) == NULL);
        ck_assert_msg(errors.error_count == 1, "%s: %d errors", refused[i].text,
                      errors.error_count);
        ck_assert_msg(errors.first.line == refused[i].line, "%s: line %d", refused[i].text,
                      errors.first.line);
        CHECK_CONTAINS(errors.first.message, refused[i].words);
        CHECK_INT(errors.status, CN_INVALID);
    }
}

static void a_mistake_deep_in_a_file_is_told_with_its_path(void) {
    CHECK(parse("{\"bodies\": [{}, {\"mass\": NaN}]}") == NULL);
    CHECK_STRING(errors.first.path, "bodies[1].mass");
    CHECK(parse("{\"bodies\": [{\"x\": 1, \"x\": 2}]}") == NULL);
    CHECK_STRING(errors.first.path, "bodies[0]");
}

static void the_null_byte_is_refused(void) {
    CHECK(parse_bytes("{\0}", 3) == NULL);
    CHECK_CONTAINS(errors.first.message, "byte 0x00");
}

static void depth_is_limited(void) {
    enum { BOMB = 100000 };
    static char text[BOMB + 1];
    memset(text, '[', BOMB);
    CHECK(parse(text) == NULL);
    CHECK_CONTAINS(errors.first.message, "nested more than 64 deep");
    char allowed[2 * CN_JSON_MAX_DEPTH + 1] = "";
    memset(allowed, '[', CN_JSON_MAX_DEPTH);
    memset(allowed + CN_JSON_MAX_DEPTH, ']', CN_JSON_MAX_DEPTH);
    CHECK(parse(allowed) != NULL);
}

// Objects with many keys are looked through by hashing; both ways must find the one duplicate.
static void a_duplicate_is_found_among_many_keys(void) {
    enum { KEYS = 20000 };
    static char text[KEYS * 16];
    for (int repeated = 0; repeated < 2; ++repeated) {
        size_t used = (size_t)snprintf(text, sizeof text, "{");
        for (int i = 0; i < KEYS; ++i) {
            used += (size_t)snprintf(text + used, sizeof text - used, "\"k%d\":0,\n", i);
        }
        snprintf(text + used, sizeof text - used, "\"k%d\":0}", repeated ? 7 : KEYS);
        CHECK((parse(text) == NULL) == repeated);
    }
    CHECK_INT(errors.first.line, KEYS + 1);
    CHECK_CONTAINS(errors.first.message, "\"k7\" is given twice, first on line 8");
}

static void running_out_of_memory_is_told_and_leaks_nothing(void) {
    const char text[] = "{\"a\": [1, 2, {\"b\": \"c\"}]}";
    for (int refuse = 1;; ++refuse) {
        FailingAllocator state = {.refuse_at = refuse};
        CnAllocator allocator = failing_allocator(&state);
        CnArena small;
        char copy[sizeof text];
        memcpy(copy, text, sizeof text);
        cn_arena_init(&small, &allocator);
        cn_error_list_init(&errors, "x.json", NULL, 0);
        const CnJson* top = cn_json_parse(copy, sizeof text - 1, &small, &errors);
        cn_arena_destroy(&small);
        CHECK_INT(state.live, 0);
        if (top != NULL) {
            CHECK(refuse > 1);
            return;
        }
        CHECK_INT(errors.status, CN_NO_MEMORY);
    }
}

static void errors_are_kept_in_the_order_of_lines(void) {
    CnSceneProblem items[3];
    cn_error_list_init(&errors, "s.json", items, 3);
    const int lines[] = {5, 2, 9, 2, 1};
    const char* words[] = {"five", "two", "nine", "two again", "one"};
    for (int i = 0; i < 5; ++i) {
        cn_report_error(&errors, CN_INVALID, lines[i], "p", "%s", words[i]);
    }
    CHECK_INT(errors.count, 5);
    CHECK_STRING(items[0].message, "one");
    CHECK_STRING(items[1].message, "two");
    CHECK_STRING(items[2].message, "two again");
    CnError error;
    CHECK_INT(cn_error_list_first(&errors, &error), CN_INVALID);
    CHECK_STRING(error.message, "s.json:1: p: one");
}

TEST_MAIN("io/json", TEST(values_keep_the_line_they_begin_on), TEST(a_value_knows_its_path),
          TEST(following_a_path_stops_at_the_last_value_there_is), TEST(numbers_are_exact),
          TEST(a_locale_with_decimal_commas_changes_nothing), TEST(strings_are_decoded),
          TEST(a_byte_order_mark_is_skipped), TEST(mistakes_are_refused_with_their_line),
          TEST(a_mistake_deep_in_a_file_is_told_with_its_path), TEST(the_null_byte_is_refused),
          TEST(depth_is_limited), TEST(a_duplicate_is_found_among_many_keys),
          TEST(running_out_of_memory_is_told_and_leaks_nothing),
          TEST(errors_are_kept_in_the_order_of_lines))
