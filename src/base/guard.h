// guard.h - the mark that every default def carries and every add function looks for.
#pragma once

// A def that was not started from its default function has zero, or rubbish, here ("CAIR").
#define CN_DEF_GUARD 0x43414952u
