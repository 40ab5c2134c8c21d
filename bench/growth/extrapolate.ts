import { median } from '../results.ts'
import type { Reading } from './measure-in-turns.ts'
import { EXTRAPOLATED } from './sizes.ts'
import type { Line } from './word-growth.ts'

export interface Extrapolated {
  size: number
  serverMicros: number
  postgresMicros: number
}

/** A call with 100,000,000 usage rows, on the line through the last two measured sizes, over their logarithm; null: it was measured. */
export function extrapolate(lines: Line[]): Extrapolated | null {
  const [before, last] = lines.slice(-2) as [Line, Line]
  if (last.dimension !== 'rows' || last.size >= EXTRAPOLATED) return null
  const steps = Math.log(EXTRAPOLATED / last.size) / Math.log(last.size / before.size)
  const further = (read: (reading: Reading) => number): number => {
    const [from, to] = [median(before.quotes.map(read)), median(last.quotes.map(read))]
    return to + (to - from) * steps
  }
  return {
    size: EXTRAPOLATED,
    serverMicros: further(({ serverMicros }) => serverMicros),
    postgresMicros: further(({ postgresMicros }) => postgresMicros),
  }
}
