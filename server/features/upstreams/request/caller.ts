import { createHash, createHmac, type KeyObject } from 'node:crypto'
import type { Database } from '../../../db/database.ts'
import { unavailable } from '../../../http/unavailable.ts'
import type { RequirePlan } from '../../entitlement/require-plan.ts'
import type { ToolContext } from '../../tools/define-tool.ts'
import type { UpstreamRequest } from './build-request.ts'

/** Whom a call is for. The upstream can trust these, because they are signed. */
export interface CallerNames {
  account: string
  /** Null for the playground, which calls on behalf of a signed-in person. */
  key: string | null
  request: string
}

const MOST_NAMES = 50_000

type PublicIds = Pick<CallerNames, 'account' | 'key'>
/** The public ids of an account and its key. Rejects with metering_unavailable. */
type NamesOf = (caller: Pick<ToolContext['caller'], 'accountId' | 'keyId'>) => Promise<PublicIds> | PublicIds

/** These ids never change, so each pair is read once. */
export function createCallerNames({ pool }: Database): NamesOf {
  const known = new Map<string, PublicIds>()
  const read = async (name: string, accountId: number, keyId: number | null): Promise<PublicIds> => {
    const { rows } = await pool
      .query<{ account: string; key: string | null }>(
        `select a.public_id as account, k.public_id as key from accounts a left join api_keys k on k.id = $2 where a.id = $1`,
        [accountId, keyId],
      )
      .catch(unavailable)
    if (!rows[0]) throw new Error('The account of this call is gone.')
    if (known.size >= MOST_NAMES) known.delete(known.keys().next().value!)
    known.set(name, rows[0])
    return rows[0]
  }
  return ({ accountId, keyId }) => {
    const name = `${accountId} ${keyId}`
    return known.get(name) ?? read(name, accountId, keyId)
  }
}

/** Whom a call is for. Throws not_entitled. */
export type Enter = (context: ToolContext) => Promise<CallerNames> | CallerNames

/** `requirePlan` null: everybody may call the operation. */
export function createEnter(namesOf: NamesOf, requirePlan: RequirePlan | null): Enter {
  const nameOf = ({ caller, requestId }: ToolContext): Promise<CallerNames> | CallerNames => {
    const ids = namesOf(caller)
    const named = ({ account, key }: PublicIds): CallerNames => ({ account, key, request: requestId })
    return ids instanceof Promise ? ids.then(named) : named(ids)
  }
  if (requirePlan === null) return nameOf
  return async (context) => {
    await requirePlan(context.caller.accountId)
    return nameOf(context)
  }
}

/** Headers of the request itself that change what it does. */
const ALSO_COVERED = ['content-type', 'idempotency-key']

/**
 * Headers that say whom the request is for, with an HTTP message signature (RFC 9421, hmac-sha256) over method, host, path, query, the
 * type and digest of the body, the idempotency key, these headers and the time. `secret` is the upstream's signing key, `nowS` the time in seconds.
 */
export function signatureHeaders(
  { method, path, headers: given, body }: UpstreamRequest,
  authority: string,
  { account, key, request }: CallerNames,
  secret: KeyObject,
  nowS: number,
): Record<string, string> {
  const mark = path.indexOf('?')
  const headers: Record<string, string> = {
    ...(body !== null && { 'content-digest': `sha-256=:${createHash('sha256').update(body).digest('base64')}:` }),
    'finmeter-account': account,
    ...(key !== null && { 'finmeter-key': key }),
    'finmeter-request': request,
  }
  const covered = {
    '@method': method,
    '@authority': authority,
    '@path': mark === -1 ? path : path.slice(0, mark),
    '@query': mark === -1 ? '?' : path.slice(mark),
    ...Object.fromEntries(ALSO_COVERED.filter((name) => name in given).map((name) => [name, given[name]])),
    ...headers,
  }
  const parameters = `(${Object.keys(covered)
    .map((name) => `"${name}"`)
    .join(' ')});created=${nowS};keyid="finmeter";alg="hmac-sha256"`
  const base = [
    ...Object.entries(covered).map(([name, value]) => `"${name}": ${value}`),
    `"@signature-params": ${parameters}`,
  ].join('\n')
  return {
    ...headers,
    'signature-input': `finmeter=${parameters}`,
    signature: `finmeter=:${createHmac('sha256', secret).update(base).digest('base64')}:`,
  }
}
