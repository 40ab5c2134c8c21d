import { isNamed, type Shop } from '../shop/shop.ts'
import type { ToolSnapshot } from '../tools/registry.ts'

/** Pages for those who run or choose this software: customers of a named shop do neither. */
const forOperators = ['/sell', '/demo', '/docs/self-hosting', '/docs/own-data']
/** About a program under another name. */
const forOtherNames = ['/docs/command-line']
/** About tables of market data. */
export const forTables = ['/docs/formats-and-paging', '/docs/spreadsheets']

/** Whether the tools for market data are served. */
export const sellsTables = (tools: Pick<ToolSnapshot, 'get'>): boolean => tools.get('get_bars') !== undefined

/**
 * Decides which pages of the build this shop does not serve: those for operators, that of the command line, those of tools that it does
 * not sell, and guides to such tools.
 */
export function hiddenPages(
  shop: Shop,
  builtins: readonly string[],
  tools: Pick<ToolSnapshot, 'get'>,
): ReadonlySet<string> {
  const off = builtins.filter((name) => !tools.get(name)).map((name) => `/docs/reference/${name}`)
  return new Set([
    ...off,
    ...(sellsTables(tools) ? [] : forTables),
    ...(isNamed(shop) ? [...forOperators, ...forOtherNames] : []),
  ])
}
