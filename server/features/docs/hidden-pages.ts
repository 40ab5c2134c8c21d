import { isNamed, type Shop } from '../shop/shop.ts'
import type { ToolSnapshot } from '../tools/registry.ts'

/** Pages for those who run or choose this software: customers of a named shop do neither. */
const forOperators = ['/sell', '/demo', '/docs/self-hosting', '/docs/own-data']
/** About a program under another name. */
const forOtherNames = ['/docs/command-line']

/** About payments by agents, where none are taken. */
const aboutPayments = [
  '/docs/agent-payments',
  ...['payment_required', 'payment_in_progress', 'payment_reused', 'payment_settlement_unknown'].map(
    (code) => `/docs/errors/${code}`,
  ),
]

/** Whether the tools for market data are served. */
export const sellsTables = (tools: Pick<ToolSnapshot, 'get'>): boolean => tools.get('get_bars') !== undefined

/** Guides to what this shop does not sell: tables, and calls that a spreadsheet can make. */
export function unsoldGuides({ all, get }: Pick<ToolSnapshot, 'all' | 'get'>): string[] {
  if (sellsTables({ get })) return []
  const hasCalls = all.some(({ tool }) => tool.upstream && tool.rest?.method === 'GET' && !tool.streamMs)
  return ['/docs/formats-and-paging', ...(hasCalls ? [] : ['/docs/spreadsheets'])]
}

/**
 * Decides which pages of the build this shop does not serve: those for operators, that of the command line, those of tools that it does
 * not sell, guides to such tools, and what is about payments that it does not take.
 */
export function hiddenPages(
  shop: Shop,
  builtins: readonly string[],
  tools: Pick<ToolSnapshot, 'all' | 'get'>,
  takesPayments: boolean,
): ReadonlySet<string> {
  const off = builtins.filter((name) => !tools.get(name)).map((name) => `/docs/reference/${name}`)
  return new Set([
    ...off,
    ...unsoldGuides(tools),
    ...(takesPayments ? [] : aboutPayments),
    ...(isNamed(shop) ? [...forOperators, ...forOtherNames] : []),
  ])
}
