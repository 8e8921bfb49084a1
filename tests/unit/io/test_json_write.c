// test_json_write.c - the JSON writer: layout, escapes, numbers that read back bit by bit.
#include "support/test.h"

#include "cairn/random.h"
#include "io/text/json_write.h"
#include "io/text/number.h"
#include "support/failing_allocator.h"

static const char* finished(CnJsonWriter* writer) {
    static char text[1024];
    CHECK(!writer->failed);
    memcpy(text, writer->text, writer->length);
    text[writer->length] = 0;
    cn_json_writer_destroy(writer);
    return text;
}

static void layout_is_a_line_per_entry_and_one_for_numbers(void) {
    CnJsonWriter writer;
    const double values[] = {1.0, 0.5, -2e-9};
    cn_json_writer_init(&writer, NULL);
    cn_write_object(&writer, NULL);
    cn_write_numbers(&writer, "gravity", values, 3);
    cn_write_array(&writer, "bodies");
    cn_write_flat_object(&writer, NULL);
    cn_write_text(&writer, "name", "a");
    cn_write_object(&writer, "inner");
    cn_write_boolean(&writer, "b", true);
    cn_write_object_end(&writer);
    cn_write_object_end(&writer);
    cn_write_object(&writer, NULL);
    cn_write_object_end(&writer);
    cn_write_array_end(&writer);
    cn_write_integer(&writer, "n", -3);
    cn_write_object_end(&writer);
    CHECK_STRING(finished(&writer), "{\n"
                                    "  \"gravity\": [1, 0.5, -2e-09],\n"
                                    "  \"bodies\": [\n"
                                    "    {\"name\": \"a\", \"inner\": {\"b\": true}},\n"
                                    "    {}\n"
                                    "  ],\n"
                                    "  \"n\": -3\n"
                                    "}");
}

static void strings_are_escaped(void) {
    CnJsonWriter writer;
    cn_json_writer_init(&writer, NULL);
    cn_write_text(&writer, NULL, "a\"b\\c\n\x01\xc3\xa9");
    CHECK_STRING(finished(&writer), "\"a\\\"b\\\\c\\u000a\\u0001\xc3\xa9\"");
}

static void infinite_bounds_are_words(void) {
    CnJsonWriter writer;
    const double values[] = {HUGE_VAL, -HUGE_VAL};
    cn_json_writer_init(&writer, NULL);
    cn_write_numbers(&writer, NULL, values, 2);
    CHECK_STRING(finished(&writer), "[\"inf\", \"-inf\"]");
}

static void the_fewest_digits_are_used(void) {
    char text[CN_NUMBER_SIZE];
    CHECK(cn_number_format(0.1, text));
    CHECK_STRING(text, "0.1");
    CHECK(cn_number_format(-0.0, text));
    CHECK_STRING(text, "-0");
    CHECK(cn_number_format(1.0 / 3.0, text));
    CHECK_STRING(text, "0.3333333333333333");
}

// Random bit patterns cover every exponent, subnormals included.
static void every_finite_number_reads_back_bit_by_bit(void) {
    CnRandom random = {7};
    char text[CN_NUMBER_SIZE];
    for (int i = 0; i < 200000; ++i) {
        uint64_t bits = cn_random_next(&random);
        double value;
        memcpy(&value, &bits, sizeof value);
        if (isfinite(value)) {
            CHECK(cn_number_format(value, text));
            double back = strtod(text, NULL);
            ck_assert_msg(memcmp(&back, &value, sizeof value) == 0, "%s", text);
        }
    }
}

static void running_out_of_memory_is_remembered(void) {
    FailingAllocator state = {.refuse_at = 1};
    CnAllocator allocator = failing_allocator(&state);
    CnJsonWriter writer;
    CnError error;
    cn_json_writer_init(&writer, &allocator);
    cn_write_text(&writer, NULL, "a");
    CHECK_INT(cn_json_writer_save(&writer, TEST_BINARY_DIR "/never.json", &error), CN_NO_MEMORY);
    CHECK_CONTAINS(error.message, "memory ran out");
    cn_json_writer_destroy(&writer);
    CHECK_INT(state.live, 0);
}

TEST_MAIN("io/json_write", TEST(layout_is_a_line_per_entry_and_one_for_numbers),
          TEST(strings_are_escaped), TEST(infinite_bounds_are_words),
          TEST(the_fewest_digits_are_used), TEST(every_finite_number_reads_back_bit_by_bit),
          TEST(running_out_of_memory_is_remembered))
