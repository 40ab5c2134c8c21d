import type { CreditRule, Tool } from '../define-tool.ts'

/** The price in words, the same on every page that states it. */
export function priceText(rule: CreditRule): string {
  if (rule.credits === 0) return 'free'
  return `${creditsText(rule.credits)} per ${rule.kind === 'fixed' ? 'call' : portionText(rule)}`
}

/** The price of a tool, with that of its cached answers where it is lower. */
export function toolPriceText({ credits: rule, cache }: Pick<Tool, 'credits' | 'cache'>): string {
  const { credits } = cache ?? {}
  if (credits === undefined || (rule.kind === 'fixed' && credits >= rule.credits)) return priceText(rule)
  const most = rule.kind === 'fixed' || credits === 0 ? '' : ' at most'
  return `${priceText(rule)}; from the cache ${credits === 0 ? 'free' : `${creditsText(credits)}${most}`}`
}

/** What a price that varies is for, and its limit. */
export function portionText(rule: Exclude<CreditRule, { kind: 'fixed' }>): string {
  const most = 'most' in rule && rule.most !== undefined ? `, ${creditsText(rule.most)} at most` : ''
  if (rule.kind === 'kib') return `KiB, rounded up${most}`
  const count = ('perRows' in rule ? rule.perRows : rule.per).toLocaleString('en-US')
  const things = rule.kind === 'rows' ? 'row' : 'unit'
  return `${count === '1' ? things : `${count} ${things}s`}, rounded up${most}`
}

const creditsText = (credits: number): string =>
  credits === 1 ? '1 credit' : `${credits.toLocaleString('en-US')} credits`
