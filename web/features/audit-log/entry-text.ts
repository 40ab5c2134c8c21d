import type { AuditEntry } from '#contract/account-data.ts'
import { formatCents, formatWhole } from '../../lib/format.ts'
import { auditText as text } from './text.ts'

type Value = AuditEntry['detail'][string]

const methods: Record<string, string> = { oauth: 'Google or GitHub', password: 'password', otp: 'code by mail' }

/** What the server notes beside an act, in words; a name that is not here is written out as it is. */
const words: Record<string, (value: Value) => string> = {
  ip: (value) => `from ${value}`,
  method: (value) => `by ${methods[String(value)] ?? value}`,
  keys: (value) => (value === 1 ? '1 key' : `${value} keys`),
  email: (value) => String(value),
  role: (value) => `as ${value}`,
  from: (value) => `from ${value}`,
  to: (value) => `to ${value}`,
  credits: (value) => `${formatWhole(value)} credits`,
  reason: (value) => `“${value}”`,
  rateLimitPerMinute: (value) =>
    value === null ? 'limit of the plan' : value === 0 ? 'no limit' : `${value} requests per minute`,
  graceSeconds: (value) => (value === 0 ? 'old value dead at once' : `old value good for ${value} s`),
  // Tells which screen of a person saw the keys; a run of equal entries is joined by it.
  session: () => '',
  enabled: (value) => (value ? 'on' : 'off'),
  threshold: (value) => `below ${formatWhole(value)} credits`,
  packs: (value) => (value === 1 ? '1 pack of credits' : `${formatWhole(value)} packs of credits`),
  monthlyCapCents: (value) =>
    value === null ? 'no limit by the month' : `at most ${formatCents(Number(value))} a month`,
  spendCapCents: (value) => (value === null ? 'no spend cap' : `spend cap ${formatCents(Number(value))}`),
  alertThreshold: (value) => (value === 0 ? 'no usage alert' : `alert at ${value}%`),
}

/** The database does not keep the order in which details were noted. */
const order = Object.keys(words)
const placeOf = (name: string) => (order.includes(name) ? order.indexOf(name) : order.length)

/** Ids of things without a name say nothing to a reader: ours, the payment provider's, a sign-in provider's number. */
const saysNothing = /^([0-9a-f-]{36}|price_\w+|sub_\w+|cus_\w+)$/

/** Target and details in one line. */
export function detailText({ target, detail }: AuditEntry): string {
  const named = target && !saysNothing.test(target) ? [targetText(target)] : []
  const noted = Object.entries(detail)
    .sort(([a], [b]) => placeOf(a) - placeOf(b))
    .map(([name, value]) => words[name]?.(value) ?? `${name}: ${value}`)
  return [...named, ...noted].filter((words) => words !== '').join(', ')
}

const providers: Record<string, string> = { github: 'GitHub', google: 'Google' }

const targetText = (target: string) => providers[/^(github|google):\d+$/.exec(target)?.[1] ?? ''] ?? target

const systems: Record<string, string> = { operator: text.operator, service_key: text.serviceKey }

/** Who did it: the reader, a person by name, or the part of the system. */
export function actorText({ kind, name, you }: AuditEntry['actor']): string {
  if (you) return text.you
  if (kind !== 'system') return name
  return systems[name] ?? text.server
}
