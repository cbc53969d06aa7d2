/* What the C programs of all games share, part one: random streams, sets, the counts that come out. A game's file
   says how many SOURCES of chance it has and includes it first, then says what the game is, then includes loop.h.
   constants.h is written by limit_c.py: PLAYERS, the rules of one variant as RULES, the parameters of each agent. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "constants.h"

#define ALWAYS static inline __attribute__((always_inline))

enum { AGENTS = 1000 };

/* Who decides. The loop is compiled once for each. */
enum { BY_RANDOM, BY_PLAYOUT, BY_FLAT_MC, BY_HEURISTIC };

typedef struct {
    uint64_t key, cursor[SOURCES];
} Chance;

typedef struct {
    uint64_t cursor, word; /* word: the next one, ready before it is needed */
} Random;

/* What those who decide draw from: a stream for each seat, and one for all seats of a simulated game. */
typedef struct {
    Random seat[PLAYERS], roll;
    int64_t decisions, playouts;
} Streams;

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

ALWAYS uint64_t mix(uint64_t word)
{
    word = (word ^ (word >> 30)) * 0xBF58476D1CE4E5B9;
    word = (word ^ (word >> 27)) * 0x94D049BB133111EB;
    return word ^ (word >> 31);
}

ALWAYS uint64_t absorb(uint64_t key, uint64_t word) { return mix(key + GOLDEN * (word + 1)); }

ALWAYS int scaled(uint64_t word, uint32_t n) { return (int)(((word >> 32) * n) >> 32); }

ALWAYS void start(Random *random, uint64_t cursor)
{
    random->cursor = cursor;
    random->word = mix(cursor + GOLDEN);
}

ALWAYS uint64_t next_word(Random *random)
{
    uint64_t word = random->word;
    start(random, random->cursor + GOLDEN);
    return word;
}

ALWAYS int below(Random *random, int n) { return scaled(next_word(random), n); }

ALWAYS void open_source(Chance *chance, int slot, int source) { chance->cursor[slot] = absorb(chance->key, source); }

ALWAYS int draw(Chance *chance, int slot, int n) { return scaled(mix(chance->cursor[slot] += GOLDEN), n); }

/* Sets, and orders. */

ALWAYS int lowest(unsigned set) { return __builtin_ctz(set); }

ALWAYS unsigned only(int member) { return 1u << member; }

ALWAYS int least(int one, int other) { return one < other ? one : other; }

ALWAYS int most(int one, int other) { return one > other ? one : other; }

static inline void ascending(uint8_t *items, int count)
{
    for (int k = 1; k < count; k++) {
        int place = k;
        uint8_t item = items[k];
        for (; place > 0 && items[place - 1] > item; place--) items[place] = items[place - 1];
        items[place] = item;
    }
}
