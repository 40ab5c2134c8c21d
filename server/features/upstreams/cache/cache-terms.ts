import { z } from 'zod'
import type { Tool } from '../../tools/define-tool.ts'
import { mostOf } from '../../tools/price.ts'

const seconds = z.int().max(86_400)

/** What a manifest may say of cached answers, in its defaults and of an operation. Without defaults, so that only what is said is stored. */
export const cacheKeys = {
  cache_seconds: seconds.min(1).optional(),
  /** Defaults to `private`: each account's own. */
  cache: z.enum(['private', 'shared']).optional(),
  /** What a cached answer costs at most. Absent: `price`. */
  cached: z
    .union([z.literal('price'), z.int().min(0).max(1_000_000)], { error: 'expected price or a number of credits' })
    .optional(),
}
/** Of an operation: 0 is not cached, whatever the defaults say. */
export const operationCacheKeys = { ...cacheKeys, cache_seconds: seconds.min(0).optional() }

type Keys = z.output<z.ZodObject<typeof cacheKeys>>
type Priced = Keys & { credits?: number | { most?: number | undefined } | undefined }
interface CachingManifest {
  kind: string
  defaults: Priced
  operations: Record<string, Priced & { stream?: boolean }>
}

/** What is wrong with the keys about caching, as far as a manifest shows without its description. */
export function cacheProblems(
  { kind, defaults, operations }: CachingManifest,
  context: Pick<z.RefinementCtx, 'addIssue'>,
): void {
  const problem = (path: string[], message: string) => context.addIssue({ code: 'custom', path, message })
  const all = [
    { path: ['defaults'], own: defaults, isDefault: true },
    ...Object.entries(operations).map(([id, own]) => ({ path: ['operations', id], own, isDefault: false })),
  ]
  for (const { path, own, isDefault } of all) {
    const given = (Object.keys(cacheKeys) as (keyof Keys)[]).find((key) => own[key] !== undefined)
    if (given === undefined) continue
    if (kind === 'mcp') {
      problem([...path, given], 'results of MCP servers are not cached')
      continue
    }
    const isStream = 'stream' in own && own.stream
    if (isStream && own.cache_seconds) problem([...path, 'cache_seconds'], 'streams are not cached')
    if (!isDefault && (own.cache_seconds ?? defaults.cache_seconds) === undefined)
      problem([...path, given], 'nothing is cached without cache_seconds')
    const credits = own.credits ?? defaults.credits
    const most = typeof credits === 'object' ? credits.most : credits
    if (typeof own.cached === 'number' && most !== undefined && own.cached > most)
      problem([...path, 'cached'], `a cached answer must not cost more than the price, ${most}`)
  }
}

/** Throws an Error for an operation that is to be cached and is no GET. */
export function requireCacheable(
  operations: readonly { id: string; method: string }[],
  manifest: Pick<CachingManifest, 'operations'>,
): void {
  for (const { id, method } of operations)
    if (method !== 'GET' && manifest.operations[id]?.cache_seconds)
      throw new Error(`operations.${id}.cache_seconds: only GET operations are cached, and this one is ${method}.`)
}

/** How answers of an operation are cached; undefined: they are not. The defaults are for GET operations that do not stream. */
export function cacheTerms(
  { kind, defaults, operations }: CachingManifest,
  { id, method }: { id: string; method: string },
  rule: Tool['credits'],
): Tool['cache'] {
  const own = operations[id]
  const lasting = own?.cache_seconds ?? defaults.cache_seconds
  if (kind !== 'openapi' || method !== 'GET' || own?.stream || !lasting) return undefined
  const cached = own?.cached ?? defaults.cached ?? 'price'
  const credits = cached === 'price' ? undefined : Math.min(cached, mostOf(rule) ?? cached)
  return {
    seconds: lasting,
    shared: (own?.cache ?? defaults.cache) === 'shared',
    ...(credits !== undefined && { credits }),
  }
}
