// builtin_scenes.h - scenes that need no file.
#pragma once

#include "io/text/complaints.h"

// "name[:size]". NULL after a complaint.
CnScene* cn_builtin_scene_make(const char* argument, CnComplaints* complaints);
