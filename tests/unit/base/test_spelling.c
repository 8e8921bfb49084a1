// test_spelling.c - which misspelt words are recognised.
#include "support/test.h"

#include "cairn/base.h"

static const char* const names[] = {"mass", "inertia", "material", "friction", "pgs", "nsgs"};
#define NEAREST(word) cn_nearest_name(word, names, 6)

static void one_wrong_letter_is_forgiven(void) {
    CHECK_STRING(NEAREST("friktion"), "friction"); // replaced
    CHECK_STRING(NEAREST("inerta"), "inertia");    // missing
    CHECK_STRING(NEAREST("masss"), "mass");        // inserted
    CHECK_STRING(NEAREST("msas"), "mass");         // swapped: one edit, not two
    CHECK_STRING(NEAREST("PGS"), "pgs");           // capitals are free
}

static void a_third_of_the_letters_may_be_wrong_and_no_more(void) {
    CHECK_STRING(NEAREST("friktoin"), "friction"); // 8 letters allow 2: c -> k, io swapped
    CHECK(NEAREST("fraktoin") == NULL);            // 3
}

static void words_that_resemble_nothing_have_no_nearest_name(void) {
    CHECK(NEAREST("colour") == NULL);
    CHECK(NEAREST("") == NULL);
    CHECK(cn_nearest_name("mass", names, 0) == NULL);
}

static void the_first_of_two_equally_near_names_wins(void) {
    const char* const twins[] = {"bar", "baz"};
    CHECK_STRING(cn_nearest_name("bax", twins, 2), "bar");
}

static void very_long_words_are_near_nothing(void) {
    char word[4096];
    memset(word, 'm', sizeof word - 1);
    word[sizeof word - 1] = 0;
    CHECK(NEAREST(word) == NULL);
}

TEST_MAIN("base/spelling", TEST(one_wrong_letter_is_forgiven),
          TEST(a_third_of_the_letters_may_be_wrong_and_no_more),
          TEST(words_that_resemble_nothing_have_no_nearest_name),
          TEST(the_first_of_two_equally_near_names_wins), TEST(very_long_words_are_near_nothing))
