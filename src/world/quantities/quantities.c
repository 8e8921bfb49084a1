// quantities.c - a list of quantities: made from patterns, read after steps.
#include "world/quantities/quantities.h"

#include "base/error.h"
#include "world/world.h"

#include <stdio.h>
#include <string.h>

// ---- adding ----

static CnStatus fail_memory(CnError* error) {
    return cn_error_set(error, CN_NO_MEMORY, "no memory for a list of quantities");
}

static uint64_t key_of(const char* name) {
    return cn_hash_bytes(CN_HASH_SEED, name, strlen(name));
}

static char* copy_text(const CnAllocator* allocator, const char* text) {
    size_t size = strlen(text) + 1;
    char* copy = cn_allocate(allocator, size, 1);
    if (copy != NULL) {
        memcpy(copy, text, size);
    }
    return copy;
}

// Once only. False: no memory.
static bool add_item(CnQuantities* list, const CnQuantity* quantity, const char* name) {
    int place = cn_map_get(&list->places, key_of(name));
    if (place >= 0 && strcmp(list->items.data[place].name, name) == 0) {
        return true;
    }
    CnQuantity item = *quantity;
    item.name = copy_text(&list->allocator, name);
    if (item.name == NULL) {
        return false;
    }
    if (!cn_map_set(&list->places, key_of(name), list->items.count) ||
        !cn_array_push(&list->items, &list->allocator, item)) {
        cn_release(&list->allocator, item.name);
        return false;
    }
    return true;
}

static uint64_t pair_key(CnBodyId a, CnBodyId b) {
    return (uint64_t)a.index << 32 | b.index;
}

static CnBodyId id_at(const CnWorld* world, int body) {
    return body < 0 ? (CnBodyId){0} : world->order.data[body];
}

// Place of the pair among those that are read, -1: no memory.
static int add_pair(CnQuantities* list, const CnWorld* world, int body_a, int body_b) {
    CnPairSum pair = {.body_a = id_at(world, body_a), .body_b = id_at(world, body_b)};
    uint64_t key = pair_key(pair.body_a, pair.body_b);
    int place = cn_map_get(&list->pair_places, key);
    if (place < 0) {
        place = list->pairs.count;
        if (!cn_array_push(&list->pairs, &list->allocator, pair) ||
            !cn_map_set(&list->pair_places, key, place)) {
            return -1;
        }
    }
    return place;
}

// ---- choosing ----

typedef struct QuantityChoice {
    CnQuantities* list;
    const CnWorld* world;
    const char* pattern; // NULL: all of the world, positions of dynamic bodies
    int found;
    bool failed; // no memory
} QuantityChoice;

static bool is_default(const QuantityChoice* choice, const CnQuantity* quantity) {
    if (quantity->body.index == 0) {
        return quantity->joint.index == 0;
    }
    return strncmp(quantity->part->name, "position.", strlen("position.")) == 0 &&
           cn_body_type(choice->world, quantity->body) == CN_BODY_DYNAMIC;
}

static bool choose(const CnQuantity* quantity, const char* name, void* data) {
    QuantityChoice* choice = data;
    if (choice->pattern == NULL ? is_default(choice, quantity)
                                : cn_name_matches(choice->pattern, name)) {
        choice->found += 1;
        choice->failed = !add_item(choice->list, quantity, name);
    }
    return !choice->failed;
}

// All parts of a pair that the pattern names.
static void choose_pair(QuantityChoice* choice, int body_a, int body_b) {
    char name[1100], a[32], b[32];
    for (int i = 0; i < cn_contact_quantities.count && !choice->failed; ++i) {
        CnQuantity quantity = {.part = &cn_contact_quantities.parts[i]};
        snprintf(name, sizeof name, "contact.%s/%s.%s",
                 cn_quantity_body_label(choice->world, body_a, a, sizeof a),
                 cn_quantity_body_label(choice->world, body_b, b, sizeof b), quantity.part->name);
        if (cn_name_matches(choice->pattern, name)) {
            quantity.pair = add_pair(choice->list, choice->world, body_a, body_b);
            choice->found += 1;
            choice->failed = quantity.pair < 0 || !add_item(choice->list, &quantity, name);
        }
    }
}

static int find_label(const CnWorld* world, const char* name, size_t length) {
    char label[32];
    for (int i = -1; i < world->order.count; ++i) {
        const char* text = cn_quantity_body_label(world, i, label, sizeof label);
        if (strlen(text) == length && memcmp(text, name, length) == 0) {
            return i;
        }
    }
    return -2;
}

// "contact.A/B.part" without wildcards: names may have slashes and dots, so every cut is tried.
static void choose_named_pair(QuantityChoice* choice) {
    const char* names = choice->pattern + strlen("contact.");
    for (const char* slash = strchr(names, '/'); slash != NULL; slash = strchr(slash + 1, '/')) {
        int a = find_label(choice->world, names, (size_t)(slash - names));
        for (const char* dot = strchr(slash, '.'); a >= -1 && dot != NULL;
             dot = strchr(dot + 1, '.')) {
            int b = find_label(choice->world, slash + 1, (size_t)(dot - slash - 1));
            if (b >= -1 && b != a) {
                choose_pair(choice, a, b);
            }
        }
    }
}

// Pairs grow with the square of the bodies: beyond this a pattern is refused, not waited for.
#define MAX_PAIRED_BODIES 2000

static bool can_touch(const CnWorld* world, int a, int b) {
    return (a >= 0 && world->details.data[a].type == CN_BODY_DYNAMIC) ||
           world->details.data[b].type == CN_BODY_DYNAMIC;
}

static bool is_fixed(const CnWorld* world, int body) {
    return body < 0 || world->details.data[body].type != CN_BODY_DYNAMIC;
}

// What moves is named first: contact.block/ground.
static void choose_all_pairs(QuantityChoice* choice) {
    const CnWorld* world = choice->world;
    for (int a = -1; a < world->order.count; ++a) {
        for (int b = a + 1; b < world->order.count && !choice->failed; ++b) {
            bool turned = is_fixed(world, a);
            if (can_touch(world, a, b)) {
                choose_pair(choice, turned ? b : a, turned ? a : b);
            }
        }
    }
}

static bool has_wildcard(const char* pattern) {
    return strpbrk(pattern, "*?") != NULL;
}

static CnStatus choose_contacts(QuantityChoice* choice, CnError* error) {
    const char* pattern = choice->pattern;
    bool is_wide = pattern != NULL && has_wildcard(pattern);
    if (pattern == NULL || strncmp(pattern, "contact.", strlen("contact.")) != 0) {
        return CN_OK;
    }
    if (!is_wide) {
        choose_named_pair(choice);
    } else if (choice->world->order.count <= MAX_PAIRED_BODIES) {
        choose_all_pairs(choice);
    } else {
        return cn_error_set(error, CN_INVALID,
                            "quantity \"%s\": pairs of %d bodies are too many to list; name the "
                            "two bodies",
                            pattern, choice->world->order.count);
    }
    return CN_OK;
}

// ---- what was meant ----

typedef struct Guess {
    const char* word;
    char nearest[128];
} Guess;

// The nearest so far is compared with each name: the nearest of all is left.
static bool compare(const CnQuantity* quantity, const char* name, void* data) {
    Guess* guess = data;
    (void)quantity;
    const char* both[2] = {guess->nearest, name};
    bool is_first = guess->nearest[0] == '\0';
    const char* nearest =
        cn_nearest_name(guess->word, is_first ? &both[1] : both, is_first ? 1 : 2);
    if (nearest == name && strlen(name) < sizeof guess->nearest) {
        snprintf(guess->nearest, sizeof guess->nearest, "%s", name);
    }
    return true;
}

static CnStatus refuse_unknown(const CnWorld* world, const char* word, CnError* error) {
    Guess guess = {.word = word};
    cn_quantities_visit(world, compare, &guess);
    if (guess.nearest[0] != '\0') {
        return cn_error_set(error, CN_INVALID,
                            "no quantity is called \"%.100s\"; did you mean \"%s\"?", word,
                            guess.nearest);
    }
    return cn_error_set(error, CN_INVALID,
                        "no quantity is called \"%.100s\"; they begin with body.NAME., "
                        "joint.NAME., contact.A/B., energy., residual. and so on",
                        word);
}

static CnStatus choose_pattern(CnQuantities* list, const CnWorld* world, const char* pattern,
                               CnError* error) {
    QuantityChoice choice = {.list = list, .world = world, .pattern = pattern};
    cn_quantities_visit(world, choose, &choice);
    CnStatus status = choice.failed ? CN_NO_MEMORY : choose_contacts(&choice, error);
    if (choice.failed) {
        return fail_memory(error);
    }
    if (status == CN_OK && choice.found == 0) {
        return refuse_unknown(world, pattern == NULL ? "" : pattern, error);
    }
    return status;
}

static CnStatus choose_list(CnQuantities* list, const CnWorld* world, char* names, CnError* error) {
    CnStatus status = CN_OK;
    for (char* word = names; word != NULL && status == CN_OK;) {
        char* comma = strchr(word, ',');
        if (comma != NULL) {
            *comma = '\0';
        }
        status = word[0] == '\0'
                     ? cn_error_set(error, CN_INVALID, "a list of quantities has an empty name")
                     : choose_pattern(list, world, word, error);
        word = comma == NULL ? NULL : comma + 1;
    }
    return status;
}

static CnQuantities* make_list(const CnWorld* world, CnError* error) {
    CnQuantities* list = cn_allocate(&world->allocator, 1, sizeof *list);
    if (list == NULL) {
        fail_memory(error);
        return NULL;
    }
    list->allocator = world->allocator;
    cn_map_init(&list->places, &list->allocator);
    cn_map_init(&list->pair_places, &list->allocator);
    return list;
}

// The list, or nothing after a failure.
static CnQuantities* conclude(CnQuantities* list, CnStatus status) {
    if (status != CN_OK) {
        cn_quantities_destroy(list);
        return NULL;
    }
    return list;
}

CnQuantities* cn_quantities_create(const CnWorld* world, const char* names, CnError* error) {
    CnQuantities* list = make_list(world, error);
    if (list == NULL) {
        return NULL;
    }
    if (names == NULL) {
        return conclude(list, choose_pattern(list, world, NULL, error));
    }
    char* words = copy_text(&list->allocator, names);
    CnStatus status = words == NULL ? fail_memory(error) : choose_list(list, world, words, error);
    cn_release(&list->allocator, words);
    return conclude(list, status);
}

CnQuantities* cn_quantities_create_world(const CnWorld* world, CnError* error) {
    CnQuantities* list = make_list(world, error);
    CnStatus status = list == NULL ? CN_NO_MEMORY : CN_OK;
    for (int i = 0; i < cn_world_quantities.count && status == CN_OK; ++i) {
        CnQuantity quantity = {.part = &cn_world_quantities.parts[i]};
        status = add_item(list, &quantity, quantity.part->name) ? CN_OK : fail_memory(error);
    }
    return conclude(list, status);
}

void cn_quantities_destroy(CnQuantities* list) {
    if (list == NULL) {
        return;
    }
    CnAllocator allocator = list->allocator;
    for (int i = 0; i < list->items.count; ++i) {
        cn_release(&allocator, list->items.data[i].name);
    }
    cn_array_free(&list->items, &allocator);
    cn_array_free(&list->pairs, &allocator);
    cn_array_free(&list->points, &allocator);
    cn_map_destroy(&list->places);
    cn_map_destroy(&list->pair_places);
    cn_release(&allocator, list);
}

int cn_quantities_count(const CnQuantities* list) {
    return list->items.count;
}

CnQuantityInfo cn_quantities_at(const CnQuantities* list, int index) {
    if (index < 0 || index >= list->items.count) {
        return (CnQuantityInfo){0};
    }
    const CnQuantity* item = &list->items.data[index];
    return (CnQuantityInfo){item->name, item->part->unit};
}

// ---- reading ----

// The pair of these two bodies, if it is read; not that of others that had their ids before.
static CnPairSum* find_pair(const CnQuantities* list, CnBodyId a, CnBodyId b) {
    int place = cn_map_get(&list->pair_places, pair_key(a, b));
    CnPairSum* pair = place < 0 ? NULL : &list->pairs.data[place];
    return pair != NULL && pair->body_a.generation == a.generation &&
                   pair->body_b.generation == b.generation
               ? pair
               : NULL;
}

// sign: -1 when the point counts its bodies the other way round. pair may be NULL.
static void add_point(CnPairSum* pair, const CnContactPoint* point, double sign) {
    if (pair != NULL) {
        pair->force = cn_vec3_add_scaled(pair->force, sign, point->force);
        pair->normal_force += cn_vec3_dot(point->force, point->normal);
        pair->gap = pair->points == 0 || point->gap < pair->gap ? point->gap : pair->gap;
        pair->points += 1;
    }
}

static void clear_pairs(CnQuantities* list) {
    for (int i = 0; i < list->pairs.count; ++i) {
        CnPairSum* pair = &list->pairs.data[i];
        *pair = (CnPairSum){.body_a = pair->body_a, .body_b = pair->body_b, .gap = (double)NAN};
    }
}

static bool read_points(CnQuantities* list, const CnWorld* world) {
    int count = cn_world_contacts(world, NULL, 0);
    list->points.count = 0;
    if (!cn_array_reserve(&list->points, &list->allocator, count)) {
        return false;
    }
    list->points.count = cn_world_contacts(world, list->points.data, count);
    return true;
}

static bool add_pairs(CnQuantities* list, const CnWorld* world) {
    clear_pairs(list);
    if (list->pairs.count == 0) {
        return true;
    }
    if (!read_points(list, world)) {
        return false;
    }
    for (int i = 0; i < list->points.count; ++i) {
        const CnContactPoint* point = &list->points.data[i];
        add_point(find_pair(list, point->body_a, point->body_b), point, 1.0);
        add_point(find_pair(list, point->body_b, point->body_a), point, -1.0);
    }
    return true;
}

// The ledger of the step has them already, if it was kept.
static void read_energies(CnSample* sample) {
    const CnEnergyLedger* ledger = &sample->report->energy;
    if (ledger->scale > 0.0) {
        sample->kinetic = ledger->end_parts.linear + ledger->end_parts.angular;
        sample->potential = ledger->end_parts.potential;
    } else {
        cn_world_energies(sample->world, &sample->kinetic, &sample->potential);
    }
}

CnStatus cn_quantities_read(CnQuantities* list, const CnWorld* world, const CnStepReport* report,
                            double* values, CnError* error) {
    const CnStepReport none = {.is_graded = true}; // nothing went wrong yet
    CnSample sample = {.world = world, .report = report != NULL ? report : &none};
    if (!add_pairs(list, world)) {
        return cn_error_set(error, CN_NO_MEMORY, "no memory for the contacts of quantities");
    }
    sample.pairs = list->pairs.data;
    read_energies(&sample);
    for (int i = 0; i < list->items.count; ++i) {
        const CnQuantity* item = &list->items.data[i];
        values[i] = item->part->read(&sample, item);
    }
    return CN_OK;
}
