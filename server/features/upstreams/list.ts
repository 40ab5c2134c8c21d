import type { Database } from '../../db/database.ts'
import { readDrift } from './drift.ts'
import { readUpstreams } from './store.ts'

/** All upstreams for the operator, a line each, and below it what was noted about its answers. */
export async function upstreamLines(db: Database): Promise<string[]> {
  const [all, drift] = await Promise.all([readUpstreams(db.kysely), readDrift(db)])
  if (all.length === 0) return ['There are no upstreams.']
  return all.flatMap(({ id, state, published, versions }) => {
    const others = versions.filter(({ version }) => version !== published).map(({ version }) => version)
    const kept = others.length > 0 ? `; also kept: ${others.join(', ')}` : ''
    const line = `${id}  ${state}${published === null ? '' : `  version ${published}`}${kept}`
    const noted = drift
      .filter((one) => one.id === id)
      .map(
        ({ operation, problem, times, seenAt }) =>
          `  ${operation}: ${problemText(problem)}, ${times} times, last ${seenAt.toISOString()}`,
      )
    return [line, ...noted]
  })
}

/** A place in a schema is of an answer; the others are sentences about a definition. */
const problemText = (problem: string): string =>
  problem.startsWith('#') ? `an answer did not fit its description (${problem})` : problem
