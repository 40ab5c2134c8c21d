import type { EntryKind, HoldChange, PendingEntry } from '../account-queues.ts'
import { isHoldId } from '../holds.ts'
import type { CommitOutcome, RefusalCode } from '../meter.ts'

/** An entry as a parcel carries it. */
type WireEntry = [
  kind: EntryKind,
  accountId: number,
  keyId: number | null,
  toolId: number,
  credits: number,
  success: boolean,
  durationMs: number,
  idempotencyKey: string | null,
  request: string | null,
  holdId: string | null,
  terms: [seconds: number, chargeAs: number | null] | null,
  arrivedAtMs: number,
]

/** What the owner learned of an account: its next calls need not run. */
export type AccountHint = [accountId: number, code: 'insufficient_credits' | 'account_suspended']

export type Outcome = CommitOutcome | HoldChange

/** The answer to a parcel: an outcome for each entry, null for metering_unavailable. `null` instead: nothing of it was taken. */
export interface ParcelAnswer {
  id: string
  outcomes: (Outcome | null)[] | null
  hints: AccountHint[]
}

export type ReceivedEntry = Omit<PendingEntry, 'from' | 'resolve' | 'reject'>

const MOST_ENTRIES = 1_000

export const writeParcel = (id: string, entries: readonly PendingEntry[]): string =>
  `${JSON.stringify([
    id,
    entries.map(
      ({ kind, call, terms, idempotencyKey, request, arrivedAtMs }): WireEntry => [
        kind,
        call.accountId,
        call.keyId,
        call.toolId,
        call.credits,
        call.status === 'success',
        Math.max(0, Math.round(call.durationMs)),
        idempotencyKey ?? null,
        request ?? null,
        call.holdId ?? null,
        terms ? [terms.seconds, terms.chargeAs] : null,
        arrivedAtMs,
      ],
    ),
  ])}\n`

/** Null if it is not a parcel. Its texts go into array literals, and its numbers into columns, so that nothing else may pass. */
export function readParcel(body: unknown, bucket: number): { id: string; entries: ReceivedEntry[] } | null {
  if (!Array.isArray(body) || body.length !== 2) return null
  const [id, list] = body as unknown[]
  if (!isId(id) || !Array.isArray(list) || list.length === 0 || list.length > MOST_ENTRIES) return null
  const entries: ReceivedEntry[] = []
  for (const one of list as unknown[]) {
    if (!isEntry(one)) return null
    const [kind, accountId, keyId, toolId, credits, success, durationMs, key, request, holdId, terms, arrivedAtMs] = one
    entries.push({
      kind,
      call: {
        accountId,
        bucket,
        keyId,
        toolId,
        credits,
        status: success ? 'success' : 'failed',
        durationMs,
        ...(holdId !== null && { holdId }),
      },
      ...(terms && { terms: { seconds: terms[0], chargeAs: terms[1] } }),
      idempotencyKey: key ?? undefined,
      request: request ?? undefined,
      arrivedAtMs: Math.min(arrivedAtMs, Date.now()),
    })
  }
  return { id, entries }
}

export const writeAnswer = ({ id, outcomes, hints }: ParcelAnswer): string =>
  `${JSON.stringify([id, outcomes, hints])}\n`

/** Null if it is not an answer. */
export function readAnswer(body: unknown): ParcelAnswer | null {
  if (!Array.isArray(body) || body.length !== 3) return null
  const [id, outcomes, hints] = body as unknown[]
  if (!isId(id) || !(outcomes === null || (Array.isArray(outcomes) && outcomes.every(isOutcomeOrNull)))) return null
  return Array.isArray(hints) && hints.every(isHint) ? { id, outcomes, hints } : null
}

const isInt = (value: unknown, from: number, to = Number.MAX_SAFE_INTEGER): value is number =>
  Number.isSafeInteger(value) && (value as number) >= from && (value as number) <= to
// An id of a hold, a batch, a parcel and a digest look the same.
const isId = (value: unknown): value is string => typeof value === 'string' && isHoldId(value)
const isIdOrNull = (value: unknown): boolean => value === null || isId(value)

const MOST_INT = 2_147_483_647
const MOST_SMALLINT = 32_767
const KINDS: readonly unknown[] = ['call', 'hold', 'settle', 'release'] satisfies EntryKind[]

function isEntry(one: unknown): one is WireEntry {
  if (!Array.isArray(one) || one.length !== 12) return false
  const [kind, accountId, keyId, toolId, credits, success, durationMs, key, request, holdId, terms, arrivedAtMs] =
    one as unknown[]
  return (
    KINDS.includes(kind) &&
    isInt(accountId, 1) &&
    (keyId === null || isInt(keyId, 1)) &&
    isInt(toolId, 0, MOST_SMALLINT) &&
    isInt(credits, 0, MOST_INT) &&
    typeof success === 'boolean' &&
    isInt(durationMs, 0, MOST_INT) &&
    isIdOrNull(key) &&
    isIdOrNull(request) &&
    (key === null) === (request === null) &&
    (kind === 'call' ? holdId === null : isId(holdId)) &&
    (kind === 'hold' ? isTerms(terms) : terms === null) &&
    isInt(arrivedAtMs, 0)
  )
}

const isTerms = (terms: unknown): boolean =>
  Array.isArray(terms) &&
  terms.length === 2 &&
  isInt(terms[0], 1, 3_600) &&
  (terms[1] === null || isInt(terms[1], 0, MOST_SMALLINT))

const CODES: readonly unknown[] = [
  'insufficient_credits',
  'key_budget_exceeded',
  'key_invalid',
  'account_suspended',
  'idempotency_mismatch',
] satisfies RefusalCode[]

function isOutcomeOrNull(value: unknown): value is Outcome | null {
  if (value === null) return true
  if (typeof value !== 'object') return false
  const { kind, receiptId, creditsCharged, creditsRemaining, unlimited, code } = value as Record<string, unknown>
  if (!isInt(creditsRemaining, 0)) return false
  if (kind === 'refused') return CODES.includes(code)
  if (typeof unlimited !== 'boolean') return false
  if (kind === 'held' || kind === 'released' || kind === 'ended') return true
  return (
    (kind === 'charged' || (kind === 'replayed' && creditsCharged === 0)) &&
    isInt(creditsCharged, 0) &&
    typeof receiptId === 'string' &&
    /^rcpt_[A-Za-z0-9_-]{35}$/.test(receiptId)
  )
}

const isHint = (value: unknown): value is AccountHint =>
  Array.isArray(value) &&
  isInt(value[0], 1) &&
  (value[1] === 'insufficient_credits' || value[1] === 'account_suspended')
