// run_page.h - a recording, or a scene that is run for it, as a page.
#pragma once

#include "run/recorded_run.h"

// html: the file that is written.
ExitCode write_page(const char* recording, const char* html, const Console* console);

// Runs the scene, then writes its page; run->path is not used.
ExitCode write_run_page(const RecordedRun* run, const char* html, RunSummary* summary);
