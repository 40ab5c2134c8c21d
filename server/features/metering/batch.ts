import { randomBytes } from 'node:crypto'
import type { HoldChange, PendingEntry, QueuedCalls } from './account-queues.ts'
import { latencyBucket } from './latency.ts'
import type { CommitOutcome, RefusalCode } from './meter.ts'
import { encodeReceiptId, receiptIdsOf } from './receipt-id.ts'

/**
 * Parameters of meter_commit, or of meter_commit_holds if there are `holds`, after the batch id, as text: building array
 * literals by hand is cheaper than the driver.
 */
export interface BatchValues {
  holds: boolean
  values: (string | null)[]
}

/** A row of meter_batches as received: every column as text. */
export interface BatchRow {
  at_micros: string
  balances: string
  unlimited: string | null
  outcomes: string | null
  from_credits: string | null
  from_payg: string | null
  payg_left: string | null
  first_receipts: string | null
  /** Only of batches with holds. */
  returned?: string | null
}

const processPart = randomBytes(10).toString('hex')
let counter = 0

/** Unique across processes and ascending within one, so that the index of batches grows at one end. */
export function newBatchId(): string {
  const hex = processPart + (++counter).toString(16).padStart(12, '0')
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`
}

/** Writes the arguments for entries grouped by account, accounts ascending. */
export function encodeBatch(queues: readonly QueuedCalls[]): BatchValues {
  const accounts: number[] = []
  const accountCosts: number[] = []
  const sums: {
    accountId: number
    keyId: number
    bucket: number
    cost: number
    successes: number
    failures: number
  }[] = []
  const callAccounts: number[] = []
  const callKeys: number[] = []
  const costs: number[] = []
  const successes: string[] = []
  const tools: number[] = []
  const durations: number[] = []
  const units: number[] = []
  let counted = false
  let idempotencyKeys: string[] | null = null
  let requests: string[] | null = null
  let answers: string[] | null = null
  let holds = false
  for (const { queue, calls } of queues) {
    const { accountId } = queue
    const firstSum = sums.length
    let accountCost = 0
    for (const pending of calls) {
      const { call } = pending
      const keyId = call.keyId ?? 0
      const success = call.status === 'success'
      const cost = success ? call.credits : 0
      const duration = Math.max(0, Math.round(call.durationMs))
      accountCost += cost
      holds ||= pending.kind !== 'call'
      if (pending.kind !== 'hold' && pending.kind !== 'release') {
        const bucket = latencyBucket(duration)
        let at = firstSum
        while (at < sums.length && (sums[at]!.keyId !== keyId || sums[at]!.bucket !== bucket)) at++
        if (at === sums.length) sums.push({ accountId, keyId, bucket, cost: 0, successes: 0, failures: 0 })
        const sum = sums[at]!
        sum.cost += cost
        if (success) sum.successes++
        else sum.failures++
      }
      if (success && pending.idempotencyKey && pending.request) {
        idempotencyKeys ??= []
        requests ??= []
        answers ??= []
        while (idempotencyKeys.length < callAccounts.length) {
          idempotencyKeys.push('NULL')
          requests.push('NULL')
          answers.push('NULL')
        }
        idempotencyKeys.push(pending.idempotencyKey)
        requests.push(pending.request)
        answers.push(pending.answer ?? 'NULL')
      }
      callAccounts.push(accountId)
      callKeys.push(keyId)
      costs.push(cost)
      successes.push(success ? 't' : 'f')
      tools.push(call.toolId)
      durations.push(duration)
      const counts = success ? storedUnits(call.units) : 0
      units.push(counts)
      counted ||= counts > 0
    }
    accounts.push(accountId)
    accountCosts.push(accountCost)
  }
  for (const list of [idempotencyKeys, requests, answers])
    while (list && list.length < callAccounts.length) list.push('NULL')
  const values = [
    literal(accounts),
    literal(accountCosts),
    literal(sums.map((sum) => sum.accountId)),
    literal(sums.map((sum) => sum.keyId)),
    literal(sums.map((sum) => sum.bucket)),
    literal(sums.map((sum) => sum.cost)),
    literal(sums.map((sum) => sum.successes)),
    literal(sums.map((sum) => sum.failures)),
    literal(callAccounts),
    literal(callKeys),
    literal(costs),
    literal(successes),
    literal(tools),
    literal(counted ? [...durations, ...units] : durations),
    idempotencyKeys && literal(idempotencyKeys),
    requests && answers && literal([...requests, ...answers]),
  ]
  if (!holds) return { holds, values }
  // The cost of an account depends on what its holds return, so the function computes it.
  values.splice(1, 1)
  const entries = queues.flatMap(({ calls }) => calls)
  const column = (read: (entry: PendingEntry) => string | number | null | undefined) =>
    literal(entries.map((entry) => read(entry) ?? 'NULL'))
  values[TOOLS] = column(({ call, terms }) => (terms ? terms.chargeAs : call.toolId))
  values.push(
    column(({ kind }) => kind),
    column(({ call }) => call.holdId),
    column(({ terms }) => terms?.seconds),
  )
  return { holds, values }
}

/** Whole units of an integer of the database; 0: not known, or more than that. */
const storedUnits = (units = 0): number => {
  const whole = Math.ceil(units)
  return whole > 0 && whole <= MOST_UNITS ? whole : 0
}
const MOST_UNITS = 2_147_483_647

/** Where the tools are among the parameters of meter_commit_holds. */
const TOOLS = 11

const literal = (items: readonly (number | string)[]): string => `{${items.join(',')}}`

/** An account's state after its batch. `spendable` includes pay-as-you-go and is set only when calls were refused. */
export interface AccountAfter {
  blocked: boolean
  refused: boolean
  spendable: number | null
}

/** Outcomes of entries of which nothing unusual is recorded. */
const done = { call: 'charged', hold: 'held', settle: 'charged', release: 'released' } as const

/** Settles each entry of the batch from its row. `seen` gets the state of each account. */
export function settleBatch(
  batch: string,
  row: BatchRow,
  queues: readonly QueuedCalls[],
  seen: (queue: QueuedCalls, after: AccountAfter) => void,
): void {
  const receiptId = receiptIdsOf(batch, Number(row.at_micros))
  const balances = items(row.balances)
  const unlimitedAccounts = new Set(items(row.unlimited ?? '{}').map(Number))
  const outcomes = row.outcomes && items(row.outcomes)
  const fromCredits = row.from_credits && items(row.from_credits)
  const fromPayg = row.from_payg && items(row.from_payg)
  const firstReceipts = row.first_receipts && items(row.first_receipts)
  const paygLeft = row.payg_left && items(row.payg_left)
  const returned = row.returned && items(row.returned)
  let i = 0
  for (const [queueIndex, taken] of queues.entries()) {
    const unlimited = unlimitedAccounts.has(taken.queue.accountId)
    const burned = (pending: PendingEntry, index: number): number => {
      if (fromCredits) return Number(fromCredits[index])
      return unlimited || pending.call.status === 'failed' ? 0 : pending.call.credits
    }
    const cameBack = (index: number): number => (returned ? Number(returned[index]) : 0)
    // The row has the balance after the whole batch; each entry gets the balance after itself.
    let remaining = Number(balances[queueIndex])
    for (const [offset, pending] of taken.calls.entries())
      remaining += burned(pending, i + offset) - cameBack(i + offset)
    const after: AccountAfter = {
      blocked: false,
      refused: false,
      spendable: paygLeft ? Number(balances[queueIndex]) + Number(paygLeft[queueIndex]) : null,
    }
    for (const pending of taken.calls) {
      const name = outcomes ? outcomes[i] : done[pending.kind]
      const spent = burned(pending, i)
      remaining += cameBack(i) - spent
      let outcome: CommitOutcome | HoldChange
      if (name === 'charged') {
        outcome = {
          kind: 'charged',
          receiptId: receiptId(i + 1),
          creditsCharged: spent + Number(fromPayg?.[i] ?? 0),
          creditsRemaining: remaining,
          unlimited,
        }
      } else if (name === 'replayed') {
        outcome = {
          kind: 'replayed',
          receiptId: firstReceipt(firstReceipts?.[i]),
          creditsCharged: 0,
          creditsRemaining: remaining,
          unlimited,
        }
      } else if (name === 'held' || name === 'released' || name === 'ended') {
        outcome = { kind: name, creditsRemaining: remaining, unlimited }
      } else {
        outcome = { kind: 'refused', code: name as RefusalCode, creditsRemaining: remaining }
        // A bucket that does not know the account (it may have moved) says nothing about its credits.
        after.refused ||= name !== 'key_invalid'
        after.blocked ||= name === 'account_suspended'
      }
      pending.resolve(outcome)
      i++
    }
    seen(taken, after)
  }
}

/** Elements of an array literal that holds numbers, names or receipts: nothing that contains a comma or a quote. */
const items = (text: string): string[] => (text === '{}' ? [] : text.slice(1, -1).split(','))

function firstReceipt(text: string | undefined): string {
  const [batch = '', n, atMicros] = text?.replaceAll('"', '').split(' ') ?? []
  return encodeReceiptId({ batch, n: Number(n), atMicros: Number(atMicros) })
}
