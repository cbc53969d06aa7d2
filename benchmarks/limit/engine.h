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

/* Chance of a game has the key of the deal; chance that a search draws has a word of the search's own stream. */
typedef struct {
    uint64_t key, cursor[SOURCES];
    bool drawn;
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

/* SipHash-2-4, as in kernel/streams.py: keys of one way. */

typedef struct {
    uint64_t v0, v1, v2, v3;
} Sip;

ALWAYS uint64_t turned(uint64_t word, int bits) { return word << bits | word >> (64 - bits); }

ALWAYS void sip_round(Sip *sip)
{
    sip->v0 += sip->v1, sip->v1 = turned(sip->v1, 13) ^ sip->v0, sip->v0 = turned(sip->v0, 32);
    sip->v2 += sip->v3, sip->v3 = turned(sip->v3, 16) ^ sip->v2;
    sip->v0 += sip->v3, sip->v3 = turned(sip->v3, 21) ^ sip->v0;
    sip->v2 += sip->v1, sip->v1 = turned(sip->v1, 17) ^ sip->v2, sip->v2 = turned(sip->v2, 32);
}

ALWAYS void sip_add(Sip *sip, uint64_t word)
{
    sip->v3 ^= word;
    for (int n = 0; n < 2; n++) sip_round(sip);
    sip->v0 ^= word;
}

ALWAYS Sip sip_start(uint64_t k0, uint64_t k1)
{
    return (Sip){0x736F6D6570736575 ^ k0, 0x646F72616E646F6D ^ k1, 0x6C7967656E657261 ^ k0, 0x7465646279746573 ^ k1};
}

ALWAYS uint64_t sip_end(Sip *sip, uint64_t word)
{
    sip_add(sip, word);
    sip->v2 ^= 0xFF;
    for (int n = 0; n < 4; n++) sip_round(sip);
    return sip->v0 ^ sip->v1 ^ sip->v2 ^ sip->v3;
}

ALWAYS uint64_t deal_key(uint64_t seed, uint64_t game, uint64_t players, uint64_t deal)
{
    Sip sip = sip_start(seed, game);
    sip_add(&sip, players);
    sip_add(&sip, deal);
    return sip_end(&sip, 16ull << 56);
}

ALWAYS uint64_t stream_key(uint64_t key, uint64_t purpose)
{
    Sip sip = sip_start(key, 0);
    return sip_end(&sip, purpose | 2ull << 56);
}

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

ALWAYS void open_source(Chance *chance, int slot, int source)
{
    chance->cursor[slot] = chance->drawn ? absorb(chance->key, source) : stream_key(chance->key, source);
}

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
