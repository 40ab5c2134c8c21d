import { type FoundCall, isoTime } from './find-call.ts'

/** Formats a call for the operator, one fact per line. */
export function describeCall(receiptId: string, call: FoundCall): string[] {
  const lines: [string, string][] = [
    ['Receipt', receiptId],
    ['Time', isoTime(call.ref)],
    [
      'Account',
      [call.publicId, call.accountName, call.ownerEmail ?? 'nobody', `accountId ${call.accountId}`].join('  '),
    ],
    ['Key', keyOf(call)],
    ['Tool', call.tool],
    ['Arguments', 'not stored'],
    ['Result', resultOf(call)],
    ['Charge', chargeOf(call)],
    ['Balance', balanceOf(call)],
    ['Settled', settledOf(call)],
    ['Idempotency-Key', idempotencyOf(call)],
    [
      'Reports',
      call.reports.map(({ at, event, message }) => `${at.toISOString()} ${event}: ${quoted(message)}`).join('; ') ||
        'none',
    ],
    ['Batch', batchOf(call)],
    ['Duration', `${call.durationMs} ms in the tool`],
    ['Compared', comparedOf(call)],
    [
      'Log',
      'the line with this receipt has the request id and the time of each stage. It is a "slow call" line at level warn from SLOW_CALL_MS, else one at level info',
    ],
  ]
  return lines.map(([name, text]) => `${name.padEnd(16)} ${text}`)
}

function keyOf({ key }: FoundCall): string {
  if (!key) return 'none (playground)'
  const deleted = key.deletedAt ? [`deleted ${new Date(key.deletedAt).toISOString()}`] : []
  return [key.name, key.publicId, `${key.start}...`, `keyId ${key.id}`, ...deleted].join('  ')
}

function resultOf({ success, voided }: FoundCall): string {
  if (success) return 'success'
  if (voided) return 'voided: the caller got a 503, because the outcome of the commit was not known in time'
  return voided === null ? 'failed, or voided (batches are forgotten after 6 hours)' : 'failed'
}

function chargeOf({ fromCredits, fromPayg, unlimited }: FoundCall): string {
  const total = `${fromCredits + fromPayg} credits (${fromCredits} from the balance, ${fromPayg} pay-as-you-go)`
  return unlimited ? `${total}; the account is unlimited now` : total
}

const balanceOf = ({ fromCredits, balanceAfter }: FoundCall): string =>
  `${balanceAfter + fromCredits} before, ${balanceAfter} after (computed backward from today's balance)`

function settledOf({ fromCredits, settled: { ids, at }, restored }: FoundCall): string {
  const back = restored > 0 ? `; ${restored} credits of its batch came back to the account` : ''
  if (fromCredits === 0) return `nothing to settle${back}`
  if (!at) return `not yet${back}`
  return `${at.toISOString()}, by ledger entries ${ids.join(', ')}, with other calls of the account${back}`
}

function idempotencyOf({ idempotency }: FoundCall): string {
  if (!idempotency) return 'none, or older than 24 hours'
  return idempotency.replayed ? 'sent; a repeat got the response to this charge' : 'sent; not repeated'
}

function batchOf({ ref, batch: { calls, accounts, medianMs, longestMs } }: FoundCall): string {
  const others = `${calls} calls of ${accounts} accounts, median ${medianMs} ms, longest ${longestMs} ms`
  return `${ref.batch}, call ${ref.n}; ${others}`
}

function comparedOf({ tool, hour, archived, durationMs }: FoundCall): string {
  if (archived) return 'skipped: the calls of that day are archived'
  if (!hour) return 'skipped: too many calls in that hour'
  const { calls, p50Ms, p95Ms, p99Ms, faster } = hour
  const all = `${calls} calls of ${tool} in that hour: p50 ${p50Ms} ms, p95 ${p95Ms} ms, p99 ${p99Ms} ms`
  return `${all}; ${Math.floor((100 * faster) / calls)}% were faster than this call (${durationMs} ms)`
}

/** Clients write the message, so its control characters must not reach the operator's terminal. */
const quoted = (message: string | null): string => `"${(message ?? '').replaceAll(/\p{Cc}/gu, ' ')}"`
