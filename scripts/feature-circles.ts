/** A module and what it imports, as dependency-cruiser reports them. */
export interface ImportingModule {
  source: string
  dependencies: { resolved: string }[]
}

const ofTests = /\.test\.tsx?$|\/(testing|scenarios)\//

/**
 * Features that import each other in a circle, as `a -> b -> a`, each with one import for every step. The features of
 * `server/features` and of `web/features` each form a ladder: code that two of them share belongs in a feature below
 * both. Type imports count, test imports do not.
 */
export function featureCircles(modules: readonly ImportingModule[]): string[] {
  const edges = new Map<string, Map<string, string>>()
  for (const { source, dependencies } of modules) {
    const from = featureOf(source)
    if (!from || ofTests.test(source)) continue
    for (const { resolved } of dependencies) {
      const to = featureOf(resolved)
      if (!to || to === from || to.split('/')[0] !== from.split('/')[0]) continue
      const targets = edges.get(from) ?? new Map<string, string>()
      edges.set(from, targets.set(to, `${source} imports ${resolved}`))
    }
  }
  return [...edges.keys()].flatMap((start) => circleFrom(start, edges) ?? [])
}

/** `server/features/keys/find.ts` belongs to `server/features/keys`. */
const featureOf = (file: string): string | undefined => /^(server|web)\/features\/[^/]+(?=\/)/.exec(file)?.[0]

/** The shortest way from `start` back to itself that visits no feature before `start` in the alphabet: each circle once. */
function circleFrom(start: string, edges: Map<string, Map<string, string>>): string | undefined {
  const queue: string[][] = [[start]]
  const seen = new Set<string>()
  for (let path = queue.shift(); path; path = queue.shift()) {
    for (const next of edges.get(path.at(-1)!)?.keys() ?? []) {
      if (next === start) return describeCircle([...path, start], edges)
      if (next > start && !seen.has(next)) queue.push([...path, next])
      seen.add(next)
    }
  }
  return undefined
}

const describeCircle = (path: string[], edges: Map<string, Map<string, string>>): string =>
  [
    `features import each other in a circle: ${path.map((feature) => feature.split('/').at(-1)).join(' -> ')}`,
    ...path.slice(1).map((to, index) => `  ${edges.get(path[index]!)!.get(to)}`),
  ].join('\n')
