import type { FastifyInstance, RouteOptions } from 'fastify'
import { userContext } from '../session-guard.ts'
import type { Limits } from './limits.ts'
import { BODY_BYTES, type LimitName, type LimitRow, limitTable } from './table.ts'

const patterns = Object.entries<LimitRow>(limitTable).flatMap(([name, { routes = [] }]) =>
  routes.map((route) => ({ name: name as LimitName, route, matches: matcherOf(route) })),
)

/**
 * Gives every route that is registered from now on the largest body and the rates of its row in `table.ts`. An address
 * is counted first; a person after the route's own guard has said who they are. Throws for a route without a row.
 */
export function registerLimits(app: FastifyInstance, limits: Limits): void {
  app.addHook('onRoute', (route) => {
    const name = limitNameOf(route)
    const row: LimitRow = limitTable[name]
    const count = (who: Record<string, string>): Promise<void> => limits.count(name, who as never)
    route.bodyLimit = row.bodyBytes ?? BODY_BYTES
    const own = [route.onRequest ?? []].flat()
    if (row.person) route.onRequest = [...own, async (request) => count({ person: userContext(request).actor.userId })]
    else if (row.address || row.installation)
      route.onRequest = [async (request) => count({ address: request.ip }), ...own]
  })
}

/** The row of a route as Fastify registers it. Throws when it has none. */
export function limitNameOf({ method, url }: Pick<RouteOptions, 'method' | 'url'>): LimitName {
  const path = url.replaceAll(/:(\w+)/g, '{$1}')
  const names = [method].flat().map((one) => {
    // The head of an answer is limited as the answer is.
    const asked = `${one === 'HEAD' ? 'GET' : one} ${path}`
    const found = patterns.find(({ route }) => route === asked) ?? patterns.find(({ matches }) => matches(asked))
    if (!found) throw new Error(`${asked} has no limits. Give it a row in server/http/limits/table.ts.`)
    return found.name
  })
  const [name, ...others] = new Set(names)
  if (!name || others.length > 0) throw new Error(`The methods of ${path} have different limits: register them apart.`)
  return name
}

function matcherOf(route: string): (asked: string) => boolean {
  const source = route
    .replace(/^ANY /, '* ')
    .replaceAll(/[.{}]/g, '\\$&')
    .replaceAll(/\*+/g, (stars) => (stars === '**' ? '.*' : '[^/]*'))
  const pattern = new RegExp(`^${source}$`)
  return (asked) => pattern.test(asked)
}
