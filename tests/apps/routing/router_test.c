/* SPDX-License-Identifier: MIT */
/* Hosts that exchange advertisements, in networks with and without circles, against breadth-first
 * searches; and advertisements that lie, are damaged, old, or too many. */
#include "apps/routing/router.h"

#include <stdlib.h>
#include <string.h>

#include "support/test.h"

#define MAX_HOSTS 60
#define MAX_LINKS 12
#define N_THINGS  120

struct net {
    ninho_router *hosts[MAX_HOSTS];
    size_t n;
    /* links[v][i]: whom link i of host v leads to, and the number of the link back */
    struct {
        uint32_t to, back;
    } links[MAX_HOSTS][MAX_LINKS];
    uint32_t n_links[MAX_HOSTS];
    uint32_t holder[N_THINGS]; /* MAX_HOSTS: nobody */
};

static uint64_t thing(size_t i)
{
    return mix64(i + 1);
}

static ninho_router_options options_of(uint32_t n_levels, bool has_rest)
{
    ninho_router_options options = NINHO_ROUTER_INIT;

    options.spec.capacity = N_THINGS;
    options.spec.fpr = 0.05;
    options.n_levels = n_levels;
    options.has_rest = has_rest;
    return options;
}

static bool are_linked(const struct net *net, uint32_t a, uint32_t b)
{
    for (uint32_t i = 0; i < net->n_links[a]; i++)
        if (net->links[a][i].to == b)
            return true;
    return false;
}

static void connect_hosts(struct net *net, uint32_t a, uint32_t b)
{
    uint32_t at_a = 0;
    uint32_t at_b = 0;

    if (a == b || are_linked(net, a, b) || net->n_links[a] == MAX_LINKS ||
        net->n_links[b] == MAX_LINKS)
        return;
    CHECK_OK(ninho_router_connect(net->hosts[a], &at_a));
    CHECK_OK(ninho_router_connect(net->hosts[b], &at_b));
    CHECK(at_a == net->n_links[a] && at_b == net->n_links[b]);
    net->links[a][at_a].to = b;
    net->links[a][at_a].back = at_b;
    net->links[b][at_b].to = a;
    net->links[b][at_b].back = at_a;
    net->n_links[a]++;
    net->n_links[b]++;
}

static void make(struct net *net, size_t n, size_t n_more,
                 const ninho_router_options *options, struct test_rng *rng)
{
    memset(net, 0, sizeof *net);
    net->n = n;
    for (size_t v = 0; v < n; v++)
        CHECK_OK(ninho_router_create(options, NULL, &net->hosts[v], NULL));
    for (uint32_t v = 1; v < n; v++) {
        uint32_t to = (uint32_t)rng_below(rng, v);
        while (net->n_links[to] == MAX_LINKS)
            to = (to + 1) % v;
        connect_hosts(net, v, to);
    }
    for (size_t i = 0; i < n_more; i++)
        connect_hosts(net, (uint32_t)rng_below(rng, n), (uint32_t)rng_below(rng, n));
    for (size_t i = 0; i < N_THINGS; i++) {
        net->holder[i] = (uint32_t)rng_below(rng, n);
        CHECK_OK(ninho_router_add(net->hosts[net->holder[i]], thing(i)));
    }
}

static void discard(struct net *net)
{
    for (size_t v = 0; v < net->n; v++)
        ninho_router_free(net->hosts[v]);
}

/* Everybody tells everybody else, one link after the other. */
static void exchange(struct net *net, uint64_t now, uint32_t silent)
{
    static uint8_t bytes[1 << 16];

    for (uint32_t v = 0; v < net->n; v++)
        for (uint32_t i = 0; v != silent && i < net->n_links[v]; i++) {
            ninho_router_verdict verdict;
            size_t size = 0;
            CHECK_OK(
                ninho_router_tell(net->hosts[v], i, now, bytes, sizeof bytes, &size));
            CHECK_OK(ninho_router_hear(net->hosts[net->links[v][i].to],
                                       net->links[v][i].back, bytes, size, now, &verdict,
                                       NULL));
            CHECK_U64(verdict, NINHO_ROUTER_TAKEN);
        }
}

static uint64_t distance(const struct net *net, uint32_t from, uint32_t to)
{
    uint64_t distances[MAX_HOSTS];
    uint32_t queue[MAX_HOSTS];
    size_t n = 0;

    for (size_t v = 0; v < MAX_HOSTS; v++)
        distances[v] = UINT64_MAX;
    distances[from] = 0;
    queue[n++] = from;
    for (size_t i = 0; i < n; i++)
        for (uint32_t l = 0; l < net->n_links[queue[i]]; l++) {
            const uint32_t next = net->links[queue[i]][l].to;
            if (distances[next] != UINT64_MAX)
                continue;
            distances[next] = distances[queue[i]] + 1;
            queue[n++] = next;
        }
    return to < MAX_HOSTS ? distances[to] : UINT64_MAX;
}

/* Carries a request from host to host until something is decided. */
static ninho_router_action carry(struct net *net, uint32_t from, uint64_t hash,
                                 uint32_t ttl, uint64_t now, uint32_t *at)
{
    static uint64_t next_id;
    ninho_router_request request = {.id = mix64(++next_id), .hash = hash, .ttl = ttl};
    uint32_t came_over = NINHO_ROUTER_HERE;

    *at = from;
    for (uint64_t hops = 0;; hops++) {
        uint32_t link = 0;
        CHECK(hops <= ttl);
        const ninho_router_action action =
            ninho_router_route(net->hosts[*at], &request, came_over, now, &link);
        if (action != NINHO_ROUTER_FORWARD && action != NINHO_ROUTER_BACK)
            return action;
        CHECK(link < net->n_links[*at]);
        CHECK((action == NINHO_ROUTER_BACK) == request.is_back);
        came_over = net->links[*at][link].back;
        *at = net->links[*at][link].to;
    }
}

static void in_a_tree_everything_is_found(void **state)
{
    struct test_rng rng = {test_seed(31)};
    static struct net net;

    (void)state;
    for (int round = 0; round < 12; round++) {
        static const ninho_kind kinds[] = {NINHO_BLOOM, NINHO_BLOCKED, NINHO_COUNTING,
                                           NINHO_QUOTIENT};
        ninho_router_options options = options_of(1 + (uint32_t)rng_below(&rng, 4), true);
        options.spec.kind = kinds[round % 4];
        make(&net, 2 + rng_below(&rng, MAX_HOSTS - 2), 0, &options, &rng);
        for (size_t i = 0; i < net.n; i++)
            exchange(&net, 0, MAX_HOSTS);
        for (size_t i = 0; i < N_THINGS; i++) {
            uint32_t at = 0;
            CHECK_U64(
                carry(&net, (uint32_t)rng_below(&rng, net.n), thing(i), 1000, 0, &at),
                NINHO_ROUTER_DELIVER);
            CHECK_U64(at, net.holder[i]);
        }
        uint32_t at = 0;
        CHECK_U64(carry(&net, 0, thing(N_THINGS + 5), 100000, 0, &at), NINHO_ROUTER_FAIL);
        CHECK_U64(at, 0);
        discard(&net);
    }
}

static void with_circles_what_is_near_is_found(void **state)
{
    struct test_rng rng = {test_seed(32)};
    static struct net net;

    (void)state;
    for (int round = 0; round < 12; round++) {
        const uint32_t n_levels = 1 + (uint32_t)rng_below(&rng, 5);
        const ninho_router_options options = options_of(n_levels, false);
        make(&net, 10 + rng_below(&rng, MAX_HOSTS - 10), 40, &options, &rng);
        for (uint32_t i = 0; i < n_levels; i++)
            exchange(&net, 0, MAX_HOSTS);
        for (size_t i = 0; i < N_THINGS; i++) {
            const uint32_t from = (uint32_t)rng_below(&rng, net.n);
            uint32_t at = 0;
            const ninho_router_action action = carry(&net, from, thing(i), 5000, 0, &at);
            if (distance(&net, from, net.holder[i]) <= n_levels)
                CHECK_U64(action, NINHO_ROUTER_DELIVER);
            else
                CHECK(action == NINHO_ROUTER_DELIVER || action == NINHO_ROUTER_FAIL);
            CHECK_U64(at, action == NINHO_ROUTER_DELIVER ? net.holder[i] : from);
        }
        discard(&net);
    }
}

/* Three hosts in a circle, each of whom believes that the next one has it: memory turns the request
 * back, and where there is none to speak of, its TTL ends it. */
static void a_circle_ends(void **state)
{
    static struct net net;
    struct test_rng rng = {1};

    (void)state;
    const ninho_router_options options = options_of(3, false);
    make(&net, 3, 0, &options, &rng);
    connect_hosts(&net, 0, 1);
    connect_hosts(&net, 1, 2);
    connect_hosts(&net, 2, 0);
    CHECK_OK(ninho_router_add(net.hosts[0], 77));
    for (int i = 0; i < 4; i++)
        exchange(&net, 0, MAX_HOSTS);
    CHECK_OK(ninho_router_remove(net.hosts[0], 77)); /* and nobody is told */
    CHECK_STATUS(ninho_router_remove(net.hosts[0], 77), NINHO_ERR_NOT_FOUND);
    uint32_t at = 0;
    CHECK_U64(carry(&net, 1, 77, 1000, 0, &at), NINHO_ROUTER_FAIL);
    CHECK_U64(carry(&net, 1, 77, 2, 0, &at), NINHO_ROUTER_EXPIRE);
    /* Without memory: the same request is new at every host. */
    ninho_router_request request = {.hash = 77, .ttl = 50};
    uint32_t came_over = NINHO_ROUTER_HERE;
    ninho_router_action action;
    uint64_t hops = 0;
    at = 1;
    do {
        uint32_t link = 0;
        request.id = mix64(5000 + hops++);
        request.is_back = false;
        action = ninho_router_route(net.hosts[at], &request, came_over, 0, &link);
        came_over = net.links[at][link].back;
        at = net.links[at][link].to;
    } while (action == NINHO_ROUTER_FORWARD || action == NINHO_ROUTER_BACK);
    CHECK_U64(action, NINHO_ROUTER_EXPIRE);
    CHECK_U64(hops, 51);
    request =
        (ninho_router_request){.id = 123456, .hash = 77, .ttl = 50, .is_back = true};
    uint32_t link = 0;
    CHECK_U64(ninho_router_route(net.hosts[0], &request, 0, 0, &link), NINHO_ROUTER_DROP);
    discard(&net);
}

/* ---- Enemies ------------------------------------------------------------------------------- */

/* An advertisement whose filters hold n keys each. */
static size_t advertisement(uint8_t *bytes, size_t room, uint64_t n)
{
    const ninho_router_options options = options_of(2, true);
    ninho_router *host = NULL;
    uint32_t link = 0;
    size_t size = 0;

    CHECK_OK(ninho_router_create(&options, NULL, &host, NULL));
    CHECK_OK(ninho_router_connect(host, &link));
    for (uint64_t i = 0; i < n; i++)
        CHECK_OK(ninho_router_add(host, mix64(i)));
    CHECK_STATUS(ninho_router_tell(host, link, 0, bytes, 10, &size), NINHO_ERR_SPACE);
    CHECK_STATUS(ninho_router_tell(host, link + 1, 0, bytes, room, &size),
                 NINHO_ERR_NOT_FOUND);
    CHECK_OK(ninho_router_tell(host, link, 0, bytes, room, &size));
    ninho_router_free(host);
    return size;
}

static void saturated_filters_are_refused_and_tried_last(void **state)
{
    static uint8_t bytes[1 << 16];
    static struct net net;
    struct test_rng rng = {2};
    const ninho_router_options options = options_of(2, true);
    ninho_router_verdict verdict;

    (void)state;
    /* 0 - 1 and 0 - 2; 1 is a liar */
    make(&net, 1, 0, &options, &rng);
    net.n = 3;
    for (int v = 1; v < 3; v++)
        CHECK_OK(ninho_router_create(&options, NULL, &net.hosts[v], NULL));
    connect_hosts(&net, 0, 1);
    connect_hosts(&net, 0, 2);
    CHECK_OK(ninho_router_add(net.hosts[1], 11));
    CHECK_OK(ninho_router_add(net.hosts[2], 22));
    exchange(&net, 0, MAX_HOSTS);
    const size_t size = advertisement(bytes, sizeof bytes, 20000);
    CHECK_OK(ninho_router_hear(net.hosts[0], 0, bytes, size, 1, &verdict, NULL));
    CHECK_U64(verdict, NINHO_ROUTER_SATURATED);
    /* What the liar has is found, last; what others have does not go by him. */
    ninho_router_request request = {.id = 1, .hash = 22, .ttl = 9};
    uint32_t link = 9;
    CHECK_U64(ninho_router_route(net.hosts[0], &request, NINHO_ROUTER_HERE, 1, &link),
              NINHO_ROUTER_FORWARD);
    CHECK_U64(link, 1);
    uint32_t at = 0;
    CHECK_U64(carry(&net, 0, 11, 100, 1, &at), NINHO_ROUTER_DELIVER);
    CHECK_U64(carry(&net, 2, 11, 100, 1, &at), NINHO_ROUTER_DELIVER);
    /* And others are told that somebody is not believed: host 2 finds it though 0 cannot say. */
    exchange(&net, 1, 1);
    CHECK_U64(carry(&net, 2, 11, 100, 1, &at), NINHO_ROUTER_DELIVER);
    CHECK_U64(at, 1);
    discard(&net);
}

static void damaged_advertisements_change_nothing(void **state)
{
    static uint8_t bytes[1 << 16];
    const ninho_router_options options = options_of(2, true);
    ninho_router *host = NULL;
    ninho_router_verdict verdict;
    ninho_error error = NINHO_ERROR_INIT;
    uint32_t link = 0;

    (void)state;
    CHECK_OK(ninho_router_create(&options, NULL, &host, NULL));
    CHECK_OK(ninho_router_connect(host, &link));
    const size_t size = advertisement(bytes, sizeof bytes, 50);
    CHECK_OK(ninho_router_hear(host, link, bytes, size, 0, &verdict, &error));
    for (size_t n = 0; n < size; n++) {
        uint8_t *cut = malloc(n ? n : 1);
        memcpy(cut, bytes, n);
        test_where("cut at %zu", n);
        CHECK(ninho_router_hear(host, link, cut, n, 0, &verdict, &error) != NINHO_OK);
        CHECK(error.text[0]);
        free(cut);
        bytes[n] ^= 0x10;
        test_where("changed at %zu", n);
        const ninho_status status =
            ninho_router_hear(host, link, bytes, size, 0, &verdict, &error);
        CHECK(status != NINHO_OK && status != NINHO_ERR_NOMEM);
        bytes[n] ^= 0x10;
        ninho_router_request request = {.id = n + 1, .hash = mix64(7), .ttl = 5};
        uint32_t to = 9;
        CHECK_U64(ninho_router_route(host, &request, NINHO_ROUTER_HERE, 0, &to),
                  NINHO_ROUTER_FORWARD);
    }
    CHECK_STATUS(ninho_router_hear(host, link, bytes, size + 1, 0, &verdict, &error),
                 NINHO_ERR_FORMAT);
    CHECK_STATUS(ninho_router_hear(host, link, bytes, 1 << 30, 0, &verdict, &error),
                 NINHO_ERR_FORMAT);
    CHECK_STATUS(ninho_router_hear(host, link + 1, bytes, size, 0, &verdict, &error),
                 NINHO_ERR_NOT_FOUND);
    /* Another network's filters. */
    ninho_router *other = NULL;
    ninho_router_options others = options;
    others.spec.fpr = 0.01;
    CHECK_OK(ninho_router_create(&others, NULL, &other, NULL));
    CHECK_OK(ninho_router_connect(other, &link));
    CHECK_STATUS(ninho_router_hear(other, link, bytes, size, 0, &verdict, &error),
                 NINHO_ERR_MISMATCH);
    ninho_router_free(other);
    ninho_router_free(host);
}

static void old_ones_are_not_believed_and_many_are_not_read(void **state)
{
    static uint8_t bytes[1 << 16];
    ninho_router_options options = options_of(2, true);
    ninho_router *host = NULL;
    ninho_router_verdict verdict;
    uint32_t links[2];

    (void)state;
    options.min_interval = 10;
    options.max_age = 100;
    CHECK_OK(ninho_router_create(&options, NULL, &host, NULL));
    for (int i = 0; i < 2; i++)
        CHECK_OK(ninho_router_connect(host, &links[i]));
    const size_t empty = advertisement(bytes, sizeof bytes, 0);
    CHECK_OK(ninho_router_hear(host, links[0], bytes, empty, 1000, &verdict, NULL));
    CHECK_U64(verdict, NINHO_ROUTER_TAKEN);
    const size_t size = advertisement(bytes, sizeof bytes, 50);
    CHECK_OK(ninho_router_hear(host, links[1], bytes, size, 1000, &verdict, NULL));
    for (uint64_t now = 1000; now < 1010; now++) {
        CHECK_OK(ninho_router_hear(host, links[0], bytes, size, now, &verdict, NULL));
        CHECK_U64(verdict, NINHO_ROUTER_TOO_SOON);
    }
    for (uint64_t now = 990; now <= 1110; now += 10) {
        ninho_router_request request = {.id = now, .hash = mix64(7), .ttl = 9};
        uint32_t link = 9;
        CHECK_U64(ninho_router_route(host, &request, NINHO_ROUTER_HERE, now, &link),
                  NINHO_ROUTER_FORWARD);
        /* Both are as good as unknown when they are old: then the first is tried first. */
        CHECK_U64(link, now <= 1100 ? links[1] : links[0]);
        request = (ninho_router_request){.id = now + 1, .hash = mix64(7000), .ttl = 9};
        CHECK_U64(ninho_router_route(host, &request, NINHO_ROUTER_HERE, now, &link),
                  now <= 1100 ? NINHO_ROUTER_FAIL : NINHO_ROUTER_FORWARD);
    }
    ninho_router_free(host);
}

static void a_hundred_thousand_neighbours(void **state)
{
    static uint8_t bytes[1 << 12];
    ninho_router_options options = NINHO_ROUTER_INIT;
    ninho_router *host = NULL;
    ninho_router *leaf = NULL;
    uint32_t link = 0;

    (void)state;
    options.spec.capacity = 8;
    options.spec.fpr = 1e-6;
    options.n_levels = 1;
    options.max_links = 100000;
    CHECK_OK(ninho_router_create(&options, NULL, &host, NULL));
    CHECK_OK(ninho_router_create(&options, NULL, &leaf, NULL));
    CHECK_OK(ninho_router_connect(leaf, &link));
    for (uint32_t v = 0; v < 100000; v++) {
        ninho_router_verdict verdict;
        size_t size = 0;
        CHECK_OK(ninho_router_connect(host, &link));
        CHECK_OK(ninho_router_add(leaf, mix64(v)));
        CHECK_OK(ninho_router_tell(leaf, 0, 0, bytes, sizeof bytes, &size));
        CHECK_OK(ninho_router_hear(host, link, bytes, size, 0, &verdict, NULL));
        CHECK_OK(ninho_router_remove(leaf, mix64(v)));
    }
    CHECK_STATUS(ninho_router_connect(host, &link), NINHO_ERR_FULL);
    for (uint32_t v = 3; v < 100000; v += 9973) {
        ninho_router_request request = {.id = v, .hash = mix64(v), .ttl = 9};
        CHECK_U64(ninho_router_route(host, &request, NINHO_ROUTER_HERE, 0, &link),
                  NINHO_ROUTER_FORWARD);
        CHECK_U64(link, v);
    }
    CHECK_OK(ninho_router_disconnect(host, 500));
    CHECK_STATUS(ninho_router_disconnect(host, 500), NINHO_ERR_NOT_FOUND);
    CHECK_OK(ninho_router_connect(host, &link));
    CHECK_U64(link, 500);
    ninho_router_free(host);
    ninho_router_free(leaf);
}

/* Neighbours that come and go for ever use a few numbers, and a request that should go back to one
 * that is gone goes nowhere. */
static void numbers_of_links_are_used_again(void **state)
{
    ninho_router *host = NULL;
    uint32_t links[3] = {0};
    uint32_t link = 0;

    (void)state;
    CHECK_OK(ninho_router_create(NULL, NULL, &host, NULL));
    for (uint32_t round = 0; round < 100; round++) {
        bool is_used[3] = {false};
        for (int i = 0; i < 3; i++) {
            CHECK_OK(ninho_router_connect(host, &links[i]));
            const uint32_t number = links[i] < 3 ? links[i] : 0;
            CHECK(links[i] == number && !is_used[number]);
            is_used[number] = true;
        }
        ninho_router_request request = {.id = round, .hash = 1, .ttl = 9};
        CHECK_U64(ninho_router_route(host, &request, links[0], 0, &link),
                  NINHO_ROUTER_FORWARD);
        const bool is_there = round % 2;
        if (!is_there)
            CHECK_OK(ninho_router_disconnect(host, links[0]));
        for (int i = 0; i < 2; i++) {
            request.is_back = true;
            const ninho_router_action action =
                ninho_router_route(host, &request, link, 0, &link);
            CHECK_U64(action, i == 0      ? NINHO_ROUTER_FORWARD
                              : !is_there ? NINHO_ROUTER_DROP
                                          : NINHO_ROUTER_BACK);
        }
        for (int i = is_there ? 0 : 1; i < 3; i++)
            CHECK_OK(ninho_router_disconnect(host, links[i]));
    }
    ninho_router_free(host);
}

static void options_have_ranges(void **state)
{
    ninho_router *host = NULL;
    ninho_error error = NINHO_ERROR_INIT;

    (void)state;
    for (int i = 0; i < 6; i++) {
        ninho_router_options options = NINHO_ROUTER_INIT;
        if (i == 0)
            options.n_levels = 17;
        else if (i == 1)
            options.max_fpr = 1.5;
        else if (i == 2)
            options.spec.fpr = 2;
        else if (i == 3)
            options.max_links = UINT32_MAX;
        else if (i == 4)
            options.n_remembered = UINT32_MAX;
        else
            options.size_of_struct = 0;
        test_where("case %d", i);
        CHECK_STATUS(ninho_router_create(&options, NULL, &host, &error), NINHO_ERR_ARG);
    }
    ninho_router_options options = NINHO_ROUTER_INIT;
    options.spec.kind = NINHO_FUSE;
    CHECK_STATUS(ninho_router_create(&options, NULL, &host, &error),
                 NINHO_ERR_UNSUPPORTED);
    CHECK(!host);
    ninho_router_free(NULL);
}

static ninho_status live(struct test_heap *heap, const uint8_t *bytes, size_t size)
{
    static uint8_t out[1 << 16];
    const ninho_router_options options = options_of(2, true);
    ninho_router *host = NULL;
    ninho_router_verdict verdict;
    uint32_t links[2];
    size_t told = 0;
    ninho_status status = ninho_router_create(&options, &heap->alloc, &host, NULL);

    for (int i = 0; !status && i < 2; i++)
        status = ninho_router_connect(host, &links[i]);
    for (uint64_t i = 0; !status && i < 30; i++)
        status = ninho_router_add(host, i);
    for (int i = 0; !status && i < 2; i++)
        status = ninho_router_hear(host, links[i], bytes, size, 0, &verdict, NULL);
    if (!status)
        status = ninho_router_tell(host, links[0], 0, out, sizeof out, &told);
    ninho_router_free(host);
    return status;
}

static void memory_runs_out_at_every_call(void **state)
{
    static uint8_t bytes[1 << 16];
    const size_t size = advertisement(bytes, sizeof bytes, 50);
    ninho_status status = NINHO_ERR_NOMEM;

    (void)state;
    for (size_t n = 1; status; n++) {
        struct test_heap heap;
        heap_init(&heap);
        heap_fail_at(&heap, n);
        test_where("call %zu", n);
        status = live(&heap, bytes, size);
        CHECK(!status || status == NINHO_ERR_NOMEM);
        CHECK_U64(heap.live_blocks, 0);
        CHECK(n < 500);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(in_a_tree_everything_is_found),
        cmocka_unit_test(with_circles_what_is_near_is_found),
        cmocka_unit_test(a_circle_ends),
        cmocka_unit_test(saturated_filters_are_refused_and_tried_last),
        cmocka_unit_test(damaged_advertisements_change_nothing),
        cmocka_unit_test(old_ones_are_not_believed_and_many_are_not_read),
        cmocka_unit_test(a_hundred_thousand_neighbours),
        cmocka_unit_test(numbers_of_links_are_used_again),
        cmocka_unit_test(options_have_ranges),
        cmocka_unit_test(memory_runs_out_at_every_call),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
