import type { Price } from './manifest.ts'

export type PriceKind = 'default' | 'fixed' | 'rows' | 'units' | 'kib'

/** A price as it is written in fields. */
export interface PriceText {
  at: string
  credits: string
  per: string
  most: string
}

export function kindOf(price: Price | undefined): PriceKind {
  if (price === undefined) return 'default'
  if (typeof price === 'number') return 'fixed'
  if ('kib' in price) return 'kib'
  return 'rows' in price ? 'rows' : 'units'
}

export function textOfPrice(price: Price | undefined): PriceText {
  const text = { at: '', credits: '1', per: '1', most: '' }
  if (price === undefined) return text
  if (typeof price === 'number') return { ...text, credits: String(price) }
  const most = String(price.most ?? '')
  if ('kib' in price) return { ...text, credits: String(price.kib), most }
  const at = 'rows' in price ? price.rows : 'header' in price.unit ? price.unit.header : price.unit.pointer
  return { at, credits: String(price.credits), per: String(price.per), most }
}

/** As the manifest has it. What is no number is checked by the server, which says so in words. */
export function priceOf(kind: PriceKind, { at, credits, per, most }: PriceText): Price | undefined {
  const limit = most.trim() === '' ? {} : { most: Number(most) }
  if (kind === 'default') return undefined
  if (kind === 'fixed') return Number(credits)
  if (kind === 'kib') return { kib: Number(credits), ...limit } as Price
  const counted = { per: Number(per), credits: Number(credits), ...limit }
  if (kind === 'rows') return { rows: at, ...counted } as Price
  return { unit: at.startsWith('/') ? { pointer: at } : { header: at }, ...counted } as Price
}
