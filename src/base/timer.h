// timer.h - wall-clock seconds for reports; never used to decide anything.
#pragma once

double cn_timer_now(void); // [s] since some fixed moment
