import type { Body, Data } from '../../../lib/api.ts'

export type Source = Body<'POST /upstreams/check'>['source']
export type Checked = Data<'POST /upstreams/check'>
export type ReadOperation = Checked['operations'][number]
/** `upstreams/<id>.yaml` as an object. Keys that this editor does not know are kept. */
export type Manifest = Record<string, unknown>

export type Price =
  | number
  | { rows: string; per: number; credits: number; most?: number }
  | { unit: { header: string } | { pointer: string }; per: number; credits: number; most: number }
  | { kib: number; most: number }

/** What a manifest says of one operation. */
export interface OwnSettings {
  publish?: boolean
  name?: string
  title?: string
  description?: string
  credits?: Price
  mcp?: boolean | { title?: string; description?: string }
  plans?: string[]
}

const objectAt = (manifest: Manifest, key: string): Record<string, unknown> => (manifest[key] ?? {}) as Manifest

export const ownOf = (manifest: Manifest, operation: string): OwnSettings =>
  (objectAt(manifest, 'operations')[operation] ?? {}) as OwnSettings

/** The manifest with a change of one operation. `undefined` removes a key. */
export function withOwn(
  manifest: Manifest,
  operation: string,
  change: { [K in keyof OwnSettings]?: OwnSettings[K] | undefined },
): Manifest {
  return {
    ...manifest,
    operations: {
      ...objectAt(manifest, 'operations'),
      [operation]: without({ ...ownOf(manifest, operation), ...change }),
    },
  }
}

export const withDefaults = (manifest: Manifest, change: Record<string, unknown>): Manifest => ({
  ...manifest,
  defaults: without({ ...objectAt(manifest, 'defaults'), ...change }),
})

export const defaultPrice = (manifest: Manifest): Price | undefined =>
  objectAt(manifest, 'defaults').credits as Price | undefined

/** Whether an operation would be published: as the operator said, or else by the rule for all. */
export function isPublished(manifest: Manifest, { id, method, impossible }: ReadOperation): boolean {
  if (impossible) return false
  const all = objectAt(manifest, 'operations')
  if (id in all) return ownOf(manifest, id).publish !== false
  const rule = objectAt(manifest, 'defaults').publish
  if (rule === 'named') return false
  return manifest.kind === 'mcp' || method === 'GET'
}

/** Prompts and resources of an MCP server are published by sections of their own. */
export const isCurated = ({ id, impossible }: ReadOperation, { kind }: Manifest): boolean =>
  !impossible && (kind !== 'mcp' || !id.includes('/'))

const without = (given: object): Record<string, unknown> =>
  Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined && value !== ''))

/** A price in words, for a rule that is no number. */
export function rulePrice(price: Price): string {
  if (typeof price === 'number') return `${price} per call`
  if ('kib' in price) return `${price.kib} per KiB, at most ${price.most}`
  const at = 'rows' in price ? 'rows' : 'units'
  return `${price.credits} per ${price.per} ${at}${price.most === undefined ? '' : `, at most ${price.most}`}`
}
