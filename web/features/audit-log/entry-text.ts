import type { AuditEntry } from '#contract/account-data.ts'
import { formatMoney } from '#contract/currency.ts'
import { formatUtcMoment, formatWhole } from '../../lib/format.ts'
import { shopName } from '../../lib/shop.ts'
import { actionText, auditText as text } from './text.ts'

type Value = AuditEntry['detail'][string]

const methods: Record<string, string> = { oauth: 'Google or GitHub', password: 'password', otp: 'email code' }
const uses: Record<string, string> = { mcp: 'MCP only', rest: 'REST API only', read: 'reading only' }

/** Texts for the details of an entry. */
const words: Record<string, (value: Value, currency: string) => string> = {
  ip: (value) => `from ${value}`,
  method: (value) => `with ${methods[String(value)] ?? value}`,
  keys: (value) => (value === 1 ? '1 key' : `${value} keys`),
  email: (value) => String(value),
  role: (value) => `as ${value}`,
  from: (value) => `from ${value}`,
  to: (value) => `to ${value}`,
  credits: (value) => `${formatWhole(value)} credits`,
  reason: (value) => `“${value}”`,
  rateLimitPerMinute: (value) =>
    value === null ? 'back to the rate limit of the plan' : value === 0 ? 'no limit' : `${value} requests per minute`,
  name: (value) => `new name “${value}”`,
  formerName: (value) => `was “${value}”`,
  scopes: (value) => uses[String(value)] ?? 'REST API and MCP',
  monthlyBudget: (value) => (value === null ? 'no monthly budget' : `${formatWhole(value)} credits per month`),
  rateLimit: (value) => (value === null ? 'no rate limit of its own' : `${formatWhole(value)} requests per minute`),
  allowedNetworks: (value) => (value ? `only from ${value}` : 'from any address'),
  expiresAt: (value) => (value === null ? 'no expiry' : `expires ${formatUtcMoment(String(value))}`),
  graceSeconds: (value) =>
    value === 0 ? 'old key revoked immediately' : `old key valid for ${duration(Number(value))}`,
  because: (value) => (value === 'identity_unlinked' ? 'its sign-in method was disconnected' : String(value)),
  asked: (value) => `of ${formatWhole(value)} asked`,
  anchor: () => '',
  // Of the amounts.
  currency: () => '',
  // Identifies the session that was sent keys; runs of equal entries are merged by it.
  session: () => '',
  enabled: (value) => (value ? 'on' : 'off'),
  threshold: (value) => `below ${formatWhole(value)} credits`,
  packs: (value) => (value === 1 ? '1 pack of credits' : `${formatWhole(value)} packs of credits`),
  monthlyCapCents: (value, currency) =>
    value === null ? 'no monthly limit' : `at most ${formatMoney(Number(value), currency, true)} per month`,
  spendCapCents: (value, currency) =>
    value === null ? 'no spend cap' : `spend cap ${formatMoney(Number(value), currency, true)}`,
  alertThreshold: (value) => (value === 0 ? 'no usage alert' : `alert at ${value}%`),
}

/** The database does not keep the order of the details. */
const order = Object.keys(words)
const placeOf = (name: string) => (order.includes(name) ? order.indexOf(name) : order.length)

/** IDs mean nothing to a reader: ours, the payment provider's, a sign-in provider's. */
const isOpaqueId = /^([0-9a-f-]{36}|price_\w+|sub_\w+|cus_\w+)$/

export function detailText({ target, detail }: AuditEntry): string {
  const named = target && !isOpaqueId.test(target) ? [targetText(target)] : []
  const currency = typeof detail.currency === 'string' ? detail.currency : 'usd'
  const noted = Object.entries(detail)
    // Still its name, which is there already.
    .filter(([name, value]) => name !== 'name' || value !== target)
    .sort(([a], [b]) => placeOf(a) - placeOf(b))
    .map(([name, value]) => words[name]?.(value, currency) ?? unknownText(name, value))
  return [...named, ...noted].filter((words) => words !== '').join(', ')
}

function duration(seconds: number): string {
  const [size, unit] = [
    [86_400, 'day'],
    [3_600, 'hour'],
    [60, 'minute'],
    [1, 'second'],
  ].find(([size]) => seconds % Number(size) === 0 && seconds > Number(size) / 2) as [number, string]
  const count = seconds / size
  return `${formatWhole(count)} ${unit}${count === 1 ? '' : 's'}`
}

/** A detail that this release does not know, as the words of its name. */
function unknownText(name: string, value: Value): string {
  const shown = typeof value === 'boolean' ? (value ? 'yes' : 'no') : value
  return `${name.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)}: ${shown ?? 'none'}`
}

const providers: Record<string, string> = { github: 'GitHub', google: 'Google' }

const targetText = (target: string) => providers[/^(github|google):\d+$/.exec(target)?.[1] ?? ''] ?? target

const systems: Record<string, string> = { operator: text.operator, service_key: text.serviceKey }

/** The actor: the reader, another member by name, or a part of the system. */
export function actorText({ kind, name, you }: AuditEntry['actor']): string {
  if (you) return text.you
  if (kind !== 'system') return name
  return systems[name] ?? shopName()
}

/** Whether an entry reads with all these words, in any case and order. */
export function hasWords(entry: AuditEntry, typed: string): boolean {
  const { actor } = entry
  const all = [actionText(entry), detailText(entry), actorText(actor), actor.name].join(' ').toLowerCase()
  return typed
    .toLowerCase()
    .split(/\s+/)
    .every((word) => all.includes(word))
}
