/** A reproducible source of random choices. */
export interface Random {
  /** A whole number from 0 to below `limit`. */
  below: (limit: number) => number
  pick: <T>(from: readonly T[]) => T
}

/** The mulberry32 generator: the same seed gives the same choices. */
export function createRandom(seed: number): Random {
  let state = seed | 0
  const below = (limit: number): number => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) % limit
  }
  return { below, pick: (from) => from[below(from.length)]! }
}

/** `--seed=N`; 1 unless set. */
export const fuzzSeed = (): number => Number(process.env.PROPERTY_SEED || 1)

/** How many requests are sent over raw sockets: `npm test -- --only=fuzz` raises it. */
export const fuzzRuns = (): number => Number(process.env.FUZZ_RUNS || 5_000)
