// piles.h - frictional problems with many contacts, for tests of solvers.
#pragma once

#include "cairn/random.h"
#include "support/problems/problems.h"

// `count` unit cubes on top of each other, four contacts under each; mass[i] of the i-th [kg]. All
// fall for 10 ms; every third is pushed sideways with `push` [m/s^2].
void pile_add_stack(Problem* problem, int count, const double* mass, double friction, double push);

// Bodies and contacts between them at random places with random normals, of which most point up;
// masses over so many powers of ten. The first `bodies` contacts leave no body without one. A
// friction below zero means: random in [0, 1], different for every contact.
void pile_add_random(Problem* problem, CnRandom* random, int bodies, int contacts, double decades,
                     double friction);

// A chain of `count` bodies of 1 kg (the last of `last_mass`) that hangs from the world by its
// first point joint.
void pile_add_chain(Problem* problem, int count, double last_mass);

// Kinetic energy of all bodies that move [J]; inertia is taken to be the same about every axis.
double pile_energy(const CnProblem* problem, const double (*velocity)[6]);
