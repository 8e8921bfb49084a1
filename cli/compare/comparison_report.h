// comparison_report.h - a comparison as a table, as JSON and as a page.
#pragma once

#include "compare/comparison.h"

void comparison_print(const Comparison* comparison);
void comparison_print_json(const Comparison* comparison);

// One file with the runs side by side; each must have been recorded.
bool comparison_write_page(const Comparison* comparison, const char* html, CnError* error);
