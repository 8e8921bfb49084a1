// test.c - runs a list of test cases through Check and names the ones that fail.
#include "support/test.h"

#include <stdio.h>

// Generous: the slowest case takes seconds; ten times that under a sanitizer on a busy machine.
#define CASE_TIMEOUT_SECONDS 300

static const TestCase* running;

START_TEST(run_case) {
    running[_i].run();
}
END_TEST

int test_run(const char* suite_name, const TestCase* cases, int count) {
    running = cases;
    SRunner* runner = NULL;

    for (int i = 0; i < count; ++i) {
        Suite* suite = suite_create(suite_name);
        TCase* tcase = tcase_create(cases[i].name);
        tcase_set_timeout(tcase, CASE_TIMEOUT_SECONDS);
        tcase_add_loop_test(tcase, run_case, i, i + 1);
        suite_add_tcase(suite, tcase);
        if (runner == NULL) {
            runner = srunner_create(suite);
        } else {
            srunner_add_suite(runner, suite);
        }
    }
    if (runner == NULL) {
        return EXIT_FAILURE;
    }
    srunner_run_all(runner, CK_SILENT);
    int failed = srunner_ntests_failed(runner);
    TestResult** failures = srunner_failures(runner);
    for (int i = 0; i < failed; ++i) {
        printf("%s: %s\n  %s:%d: %s\n", suite_name, tr_tcname(failures[i]), tr_lfile(failures[i]),
               tr_lno(failures[i]), tr_msg(failures[i]));
    }
    printf("%s: %d passed, %d failed\n", suite_name, count - failed, failed);
    free(failures);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
