// elastic_blocks.h - grids of springs whose lowest nodes may touch the ground: masses of any size.
//
//     ElasticBlock block = elastic_block_create(&def);
//     solve(&block.problem, ...);
//     elastic_block_free(&block);
//
// Only the public interface is used. Running out of memory ends the program.
#pragma once

#include "cairn/problem.h"

typedef struct ElasticBlockDef {
    int x, y, z;          // nodes along each axis; y = 1: in the plane, with two coordinates each
    double mass;          // of a node, over the square of the time step [N/m]
    double along, across; // stiffness of springs between neighbours, and of their shear [N/m]
    double diagonal;      // stiffness of the diagonals of squares [N/m]
    double skew;    // M_ij = -M_ji beside the springs, of x and z of a node: not symmetric [N/m]
    bool hangs;     // springs hold the topmost nodes to an immovable plate
    double load[3]; // on every node: x, y, z [N]
    double (*extra)(int i); // times load, on column i of nodes; NULL: 1
    double gap;             // of the lowest nodes to the ground [m]
    double friction;        // [-]
    int held;               // so many nodes of the topmost layer are held by equalities
} ElasticBlockDef;

typedef struct ElasticBlock {
    CnProblem problem; // displacements for velocities [m], forces for impulses [N]
    CnMasses* masses;
    int dimension, contact_count;
    CnBlock* blocks;
    double (*free_velocity)[6];
    double *target, *zero, *impulse;
    double (*velocity)[6]; // room for a solution
} ElasticBlock;

ElasticBlock elastic_block_create(const ElasticBlockDef* def);
void elastic_block_free(ElasticBlock* block);
