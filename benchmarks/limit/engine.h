/* What the C programs of all games share, part one: the records of kernel/streams.py and selfplay/loop.py, the random
   streams, sets. A game's file includes it first, then says what the game is, then includes loop.h. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum { SOURCES = 16, AGENTS = 1000, POSITIONS = 6, WIN = 60 };

typedef struct {
    uint64_t key, cursor[SOURCES];
} Chance;

typedef struct {
    uint64_t cursor;
} Random;

typedef struct {
    int64_t game, seed, players, first, last, start_player;
} Job;

typedef struct {
    int64_t games, decisions;
    int64_t played[POSITIONS][POSITIONS], wins[POSITIONS][POSITIONS];
    int64_t places[POSITIONS][POSITIONS], scores[POSITIONS][POSITIONS];
} Outcome;

typedef struct {
    int better, shared; /* seats placed better; seats that share the place */
} Place;

/* Random streams: SplitMix64, keyed as in kernel/streams.py. */

static const uint64_t GOLDEN = 0x9E3779B97F4A7C15;

static inline uint64_t mix(uint64_t word)
{
    word = (word ^ (word >> 30)) * 0xBF58476D1CE4E5B9;
    word = (word ^ (word >> 27)) * 0x94D049BB133111EB;
    return word ^ (word >> 31);
}

static inline uint64_t absorb(uint64_t key, uint64_t word) { return mix(key + GOLDEN * (word + 1)); }

static inline int scaled(uint64_t word, uint32_t n) { return (int)(((word >> 32) * n) >> 32); }

static inline int below(Random *random, int n) { return scaled(mix(random->cursor += GOLDEN), n); }

static inline void open_source(Chance *chance, int source) { chance->cursor[source] = absorb(chance->key, source); }

static inline int draw(Chance *chance, int source, int n)
{
    return scaled(mix(chance->cursor[source] += GOLDEN), n);
}

/* Sets, and orders. */

static inline int lowest(unsigned set) { return __builtin_ctz(set); }

static inline unsigned only(int member) { return 1u << member; }

static inline int least(int one, int other) { return one < other ? one : other; }

static inline int most(int one, int other) { return one > other ? one : other; }

static inline void ascending(uint8_t *items, int count)
{
    for (int k = 1; k < count; k++) {
        int place = k;
        uint8_t item = items[k];
        for (; place > 0 && items[place - 1] > item; place--) items[place] = items[place - 1];
        items[place] = item;
    }
}
