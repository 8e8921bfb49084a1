// machine.h - machines as plain numbers, and what an engine must offer to be measured on them.
#pragma once

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum MachineJointType { MACHINE_HINGE, MACHINE_BALL, MACHINE_OTHER } MachineJointType;

// Centre of mass and axes in which the inertia is diagonal.
typedef struct MachineBody {
    double position[3], rotation[4]; // world; w, x, y, z
    double velocity[3], spin[3];     // world axes
    double mass, inertia[3];         // 0: fixed
} MachineBody;

// Between bodies a and b; a -1: the world. In a tree b is the child, and each body is b of one
// joint at most.
typedef struct MachineJoint {
    MachineJointType type;
    int a, b;
    double point[3], axis[3]; // world, at the start
    bool limited;
    double lower, upper; // [rad]
    bool has_motor;      // to a position: stiffness (wave target - q) - damping dq/dt
    double target, stiffness, damping, max_force;
} MachineJoint;

typedef struct MachineModel {
    const char* name;
    double dt; // [s]
    int body_count, joint_count;
    MachineBody* bodies;
    MachineJoint* joints;
    bool is_tree;    // joints are hinges and balls and close no loop
    bool has_motors; // energy is not kept
    bool has_ground; // bodies are capsules along z that collide with the plane z = 0
    double radius, segment, friction; // of the capsules: length without caps [m]
} MachineModel;

// NULL: the scene cannot be made, said on stderr.
MachineModel* machine_model_create(const char* scene);
void machine_model_destroy(MachineModel* model);

// What the targets of motors are multiplied by.
double machine_wave(double time);

// Largest distance of the two points of a joint, and energy, of bodies that moved [m], [J].
double machine_joint_error(const MachineModel* model, const MachineBody* bodies);
double machine_energy(const MachineModel* model, const MachineBody* bodies);

typedef struct MachineEngine {
    const char* name;
    void* (*create)(const MachineModel* model); // NULL: it has no such machine
    void (*step)(void* self, double wave);
    void (*read)(void* self, MachineBody* bodies); // poses and velocities of all
    void (*destroy)(void* self);
} MachineEngine;

extern const MachineEngine machine_mujoco;
extern const MachineEngine machine_bullet;           // maximal coordinates, 10 iterations
extern const MachineEngine machine_bullet_multibody; // Featherstone's articulated bodies
extern const MachineEngine machine_ode;              // QuickStep, 20 iterations
extern const MachineEngine machine_ode_direct;       // dWorldStep

#ifdef __cplusplus
}
#endif
