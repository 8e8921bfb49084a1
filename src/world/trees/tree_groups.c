// tree_groups.c - which joints of a tree are passed side by side.
#include "world/trees/tree_groups.h"

static void add_link(const CnTreeLink* links, int link, CnTreeGroup* group) {
    for (int i = group->count++; i < CN_TREE_LANES; ++i) {
        group->link[i] = link;
        group->body_a[i] = links[link].body_a;
        group->body_b[i] = links[link].body_b;
        group->sign.of[i] = links[link].sign;
    }
}

// Links know their places; a group of one link is none.
static void number_groups(CnJointTree* tree, CnTreeLink* links) {
    int kept = 0;
    for (int g = 0; g < tree->group_count; ++g) {
        const CnTreeGroup* group = &tree->groups[g];
        if (group->count == 1) {
            tree->alone[tree->alone_count++] = group->link[0];
            continue;
        }
        for (int i = 0; i < group->count; ++i) {
            links[group->link[i]].group = &tree->groups[kept];
            links[group->link[i]].lane = i;
        }
        tree->groups[kept++] = *group;
    }
    tree->group_count = kept;
}

CnStatus cn_tree_groups_find(CnJointTree* tree, CnTreeLink* links, CnArena* arena) {
    int open[CN_FORM_SLIDER + 1]; // of each form: the group that is not full, -1: none
    int most = tree->link_count / CN_TREE_LANES + CN_FORM_SLIDER;
    tree->groups = CN_ARENA_NEW(arena, CnTreeGroup, most);
    tree->alone = CN_ARENA_RAW(arena, int, tree->link_count);
    if (tree->groups == NULL || tree->alone == NULL) {
        return CN_NO_MEMORY;
    }
    for (int form = 0; form <= CN_FORM_SLIDER; ++form) {
        open[form] = -1;
    }
    for (int i = 0; i < tree->link_count; ++i) {
        CnFrameForm form = links[i].form;
        if (form == CN_FORM_OTHER) {
            tree->alone[tree->alone_count++] = i;
            continue;
        }
        if (open[form] < 0) {
            open[form] = tree->group_count++;
            tree->groups[open[form]].form = form;
        }
        CnTreeGroup* group = &tree->groups[open[form]];
        add_link(links, i, group);
        open[form] = group->count == CN_TREE_LANES ? -1 : open[form];
    }
    number_groups(tree, links);
    return CN_OK;
}
