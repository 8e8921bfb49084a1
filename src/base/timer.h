// timer.h - wall-clock seconds for reports, and for deadlines where one was asked for.
#pragma once

double cn_timer_now(void); // [s] since some fixed moment
