// cairn.h - the whole public interface.
#pragma once

#include "cairn/base.h"
#include "cairn/body.h"
#include "cairn/constraint.h"
#include "cairn/contact.h"
#include "cairn/diagnostics.h"
#include "cairn/event.h"
#include "cairn/joint.h"
#include "cairn/material.h"
#include "cairn/math.h"
#include "cairn/problem.h"
#include "cairn/query.h"
#include "cairn/scene.h"
#include "cairn/series.h"
#include "cairn/shape.h"
#include "cairn/solver.h"
#include "cairn/world.h"
