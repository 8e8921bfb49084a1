// quantities.js - the numbers of a body, contact or joint: name, unit and value in a frame.
const norm = (list, i) => Math.hypot(list[3 * i], list[3 * i + 1], list[3 * i + 2]);

function vector(name, unit, pick) {
    return [..."xyz"].map((axis, c) => ({name: `${name} ${axis}`, unit, value: (frame, i) => pick(frame)[3 * i + c]}));
}

const BODY = [
    ...vector("position", "m", (frame) => frame.position),
    {name: "speed", unit: "m/s", value: (frame, i) => norm(frame.velocity, i)},
    ...vector("velocity", "m/s", (frame) => frame.velocity),
    {name: "turning", unit: "rad/s", value: (frame, i) => norm(frame.angularVelocity, i)},
    {name: "contact force", unit: "N", value: bodyForce},
    {name: "contacts", unit: "", value: bodyContacts},
];

const JOINT = [
    {name: "force", unit: "N", value: (frame, i) => norm(frame.joints.force, i)},
    ...vector("force", "N", (frame) => frame.joints.force),
    {name: "torque", unit: "N m", value: (frame, i) => norm(frame.joints.torque, i)},
    ...vector("torque", "N m", (frame) => frame.joints.torque),
];

function along(contacts, i) {
    let sum = 0;
    for (let c = 0; c < 3; ++c) {
        sum += contacts.force[3 * i + c] * contacts.normal[3 * i + c];
    }
    return sum;
}

const CONTACT = [
    {name: "normal force", unit: "N", value: (frame, i) => along(frame.contacts, i)},
    {name: "friction force", unit: "N", value: (frame, i) => Math.sqrt(Math.max(norm(frame.contacts.force, i) ** 2 - along(frame.contacts, i) ** 2, 0))},
    {name: "coefficient", unit: "", value: (frame, i) => frame.contacts.friction[i]},
    {name: "friction used", unit: "%", value: frictionUsed},
    {name: "gap", unit: "m", value: (frame, i) => frame.contacts.gap[i]},
    {name: "residual", unit: "m/s", value: (frame, i) => frame.contacts.residual[i]},
];

function frictionUsed(frame, i) {
    const most = frame.contacts.friction[i] * along(frame.contacts, i);
    return most > 0 ? 100 * CONTACT[1].value(frame, i) / most : 0;
}

function bodyForce(frame, body) {
    const {contacts} = frame;
    const sum = [0, 0, 0];
    for (let i = 0; i < contacts.count; ++i) {
        const sign = contacts.bodyB[i] === body ? 1 : contacts.bodyA[i] === body ? -1 : 0;
        for (let c = 0; c < 3; ++c) {
            sum[c] += sign * contacts.force[3 * i + c];
        }
    }
    return Math.hypot(...sum);
}

function bodyContacts(frame, body) {
    const {contacts} = frame;
    let count = 0;
    for (let i = 0; i < contacts.count; ++i) {
        count += contacts.bodyA[i] === body || contacts.bodyB[i] === body ? 1 : 0;
    }
    return count;
}

export const QUANTITIES = {body: BODY, joint: JOINT, contact: CONTACT};
