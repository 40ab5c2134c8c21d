import { createHash } from 'node:crypto'
import type { CallRecord } from '../../http/call-record.ts'
import { meteringHeaders } from '../data-api/answer-headers.ts'
import { callsOf } from '../keys/credentials.ts'
import { readIdempotencyKey } from '../tools/prepare.ts'
import { admitDoorCall, chargeDoorCall } from './charge-door-call.ts'
import { counted } from './counted.ts'
import type { DoorDeps } from './door-deps.ts'
import { doorKey } from './door-key.ts'
import { findOperationAt } from './find-operation.ts'
import { holdCall, usualTerms } from './hold-call.ts'
import type { OriginalRequest } from './original-request.ts'
import { verifyCustomer } from './verify-customer.ts'
import type { ServiceKey } from './verify-service-key.ts'

/** The guards of the client libraries have the same. */
const REPEAT_SLOT_MS = 300_000

/**
 * Decides on a request that waits at a gateway, and returns the headers of the permission. The call is charged now, because
 * nobody tells how it ends; an operation that holds credits gets a hold, which the server behind the gateway settles. Throws
 * as `authorize`. `idempotencyKey`, the customer's: its repeats are free for requests without a body, which alone the gateway
 * shows whole, and within one slot of REPEAT_SLOT_MS, because the API behind the gateway does the work of each repeat again.
 */
export async function admitAtGateway(
  deps: DoorDeps,
  serviceKey: ServiceKey,
  asked: OriginalRequest,
  { upstream, idempotencyKey: given }: { upstream: string | undefined; idempotencyKey: unknown },
  record: CallRecord,
): Promise<Record<string, string>> {
  const { method, segments, target, presented } = asked
  // A stranger does not learn which operations there are.
  const caller = await verifyCustomer(deps, presented, method === 'GET' ? 'read' : 'rest')
  record.verified(caller)
  return counted(deps, caller, record, async () => {
    const entry = findOperationAt(deps.tools.current(), serviceKey, { method, segments, upstream })
    record.call(entry.tool.name)
    const { holds } = entry
    const terms = usualTerms(entry)
    const read = method === 'GET' ? readIdempotencyKey(given, 'Idempotency-Key') : undefined
    // Each attempt makes a hold, and each that is not settled would be charged.
    const sent = holds !== undefined && terms.unsettled === 'charge' ? undefined : read
    const slot = Math.floor(Date.now() / REPEAT_SLOT_MS)
    // A hold is settled by somebody who does not know the address, so it belongs to the key.
    const idempotencyKey = sent && doorKey(serviceKey, `${slot} ${holds === undefined ? sent : `${sent} ${target}`}`)
    const leave = deps.limits.enter('metered', callsOf(caller))
    try {
      const most = holds ?? entry.leastCredits
      const rateLimit = await admitDoorCall(deps, caller, entry, most, idempotencyKey)
      const known = {
        'finmeter-account': await deps.accountIds(caller.accountId),
        'finmeter-key': caller.publicId,
        'finmeter-request': record.requestId,
        'finmeter-operation': entry.tool.name,
      }
      if (holds !== undefined) {
        const request = { serviceKey, caller, entry, most, ...terms, idempotencyKey }
        const { hold, remaining, unlimited } = await holdCall(deps, request, rateLimit)
        const free = { creditsCharged: 0, creditsRemaining: remaining, unlimited, receiptId: null, rateLimit }
        return { ...known, 'finmeter-hold': hold, ...meteringHeaders({ ...free, output: null, replayed: false }) }
      }
      const { accountId, bucket, keyId } = caller
      const idempotency = idempotencyKey && {
        key: idempotencyKey,
        requestHash: createHash('sha256').update(`gateway ${entry.id} ${target}`).digest('hex'),
      }
      const call = { accountId, bucket, keyId, toolId: entry.id, credits: most, status: 'success' as const }
      const charged = await chargeDoorCall(deps, { ...call, durationMs: 0, ...(idempotency && { idempotency }) })
      record.receiptId = charged.receiptId
      record.result = charged.kind === 'replayed' ? 'replayed' : 'success'
      return { ...known, ...meteringHeaders({ ...charged, rateLimit, output: null, replayed: false }) }
    } finally {
      leave()
    }
  })
}
