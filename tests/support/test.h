// test.h - tests as sentences: each case a function, each file a list, run by Check.
//
//     static void a_ball_falls_half_g_t_squared(void) { CHECK_NEAR(height, 4.905, 1e-12); }
//     TEST_MAIN("physics/fall", TEST(a_ball_falls_half_g_t_squared))
//
// Every case runs in its own process (CK_FORK=no to debug), with a time-out.
#pragma once

#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

// 1 in builds with the address or thread sanitizer, where a test may do less or must not limit
// memory.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define UNDER_SANITIZER 1
#elif defined(__has_feature)
#define UNDER_SANITIZER (__has_feature(address_sanitizer) || __has_feature(thread_sanitizer))
#else
#define UNDER_SANITIZER 0
#endif

typedef struct TestCase {
    const char* name;
    void (*run)(void);
} TestCase;

#define TEST(function)                                                                             \
    { #function, function }

#define CHECK(condition) ck_assert_msg((condition), "%s", #condition)

#define CHECK_NEAR(value, expected, tolerance)                                                     \
    do {                                                                                           \
        double value_ = (value), expected_ = (expected), tolerance_ = (tolerance);                 \
        ck_assert_msg(fabs(value_ - expected_) <= tolerance_,                                      \
                      "%s is %.17g, expected %.17g +- %g (off by %g)", #value, value_, expected_,  \
                      tolerance_, fabs(value_ - expected_));                                       \
    } while (0)

#define CHECK_INT(value, expected)                                                                 \
    do {                                                                                           \
        long long value_ = (long long)(value), expected_ = (long long)(expected);                  \
        ck_assert_msg(value_ == expected_, "%s is %lld, expected %lld", #value, value_,            \
                      expected_);                                                                  \
    } while (0)

#define CHECK_STRING(value, expected)                                                              \
    do {                                                                                           \
        const char* value_ = (value);                                                              \
        ck_assert_msg(strcmp(value_, (expected)) == 0, "%s is \"%s\", expected \"%s\"", #value,    \
                      value_, (expected));                                                         \
    } while (0)

// The text contains a part: for messages.
#define CHECK_CONTAINS(text, part)                                                                 \
    do {                                                                                           \
        const char* text_ = (text);                                                                \
        ck_assert_msg(strstr(text_, (part)) != NULL, "\"%s\" does not contain \"%s\"", text_,      \
                      (part));                                                                     \
    } while (0)

int test_run(const char* suite, const TestCase* cases, int count);

#define TEST_MAIN(suite, ...)                                                                      \
    int main(void) {                                                                               \
        static const TestCase cases[] = {__VA_ARGS__};                                             \
        return test_run(suite, cases, (int)(sizeof cases / sizeof cases[0]));                      \
    }
