import { createHash, randomUUID } from 'node:crypto'
import type { Selectable } from 'kysely'
import { sql } from 'kysely'
import type { Queryable } from '../../../db/database.ts'
import type { AuthFlowStates } from '../../../db/schema.gen.ts'
import type { Secrets } from '../../../secrets/secrets.ts'
import type { Challenge } from '../challenge.ts'
import { AuthError } from '../errors.ts'
import type { ExternalIdentity, ProviderName, ProviderSecrets, ProviderTokens } from './provider.ts'

/** From /authorize to the redemption of the code: the whole round trip. */
export const FLOW_SECONDS = 300
const KEEP = '24 hours'
const SECRETS_PURPOSE = 'auth.flow_states.provider_secrets'
const OUTCOME_PURPOSE = 'auth.flow_states.outcome'

export type Flow = Omit<Selectable<AuthFlowStates>, 'provider'> & { provider: ProviderName }

/** What is stored with a one-time code until its client redeems it. */
export interface FlowOutcome {
  tokens: ProviderTokens | null
  /** Linked to the user at redemption: the verifier proves that the same browser started and finished the link. */
  link: Omit<ExternalIdentity, 'tokens'> | null
}

export interface NewFlow {
  id: string
  provider: ProviderName
  redirectTo: string
  /** Null for the implicit flow. */
  challenge: Challenge | null
  cookieHash: Buffer | null
  linkingUserId: string | null
  providerSecrets: ProviderSecrets
}

/** Stores a new flow, and deletes those that can no longer be finished. */
export async function beginFlow(db: Queryable, secrets: Secrets, flow: NewFlow): Promise<void> {
  await db
    .with('forgotten', (cte) =>
      cte.deleteFrom('auth.flow_states').where('created_at', '<', sql<Date>`app_now() - ${KEEP}::interval`),
    )
    .insertInto('auth.flow_states')
    .values({
      id: flow.id,
      provider: flow.provider,
      redirect_to: flow.redirectTo,
      code_challenge: flow.challenge?.codeChallenge ?? null,
      code_challenge_method: flow.challenge?.codeChallengeMethod ?? null,
      cookie_hash: flow.cookieHash,
      linking_user_id: flow.linkingUserId,
      provider_secrets: secrets.encrypt(SECRETS_PURPOSE, JSON.stringify(flow.providerSecrets), flow.id),
      expires_at: sql`app_now() + make_interval(secs => ${FLOW_SECONDS})`,
    })
    .execute()
}

export async function findFlow(db: Queryable, id: string): Promise<Flow> {
  const flow = await db.selectFrom('auth.flow_states').selectAll().where('id', '=', id).executeTakeFirst()
  if (!flow) throw new AuthError(400, 'bad_oauth_state', 'OAuth state not found or expired')
  return flow as Flow
}

/** Consumes the state, once, before any request to the provider. Throws if it is used or expired. */
export async function consumeFlow(db: Queryable, id: string): Promise<void> {
  const { numUpdatedRows } = await db
    .updateTable('auth.flow_states')
    .set({ consumed_at: sql`app_now()` })
    .where('id', '=', id)
    .where('consumed_at', 'is', null)
    .where('expires_at', '>', sql<Date>`app_now()`)
    .executeTakeFirst()
  if (numUpdatedRows > 0n) return
  const { consumed_at } = await findFlow(db, id)
  if (consumed_at) throw new AuthError(400, 'flow_state_already_used', 'State has already been used')
  throw new AuthError(400, 'bad_oauth_state', 'OAuth state has expired')
}

export function providerSecretsOf(flow: Flow, secrets: Secrets): ProviderSecrets {
  if (!flow.provider_secrets) throw new AuthError(400, 'bad_oauth_state', 'OAuth state is invalid')
  return JSON.parse(secrets.decrypt(SECRETS_PURPOSE, flow.provider_secrets, flow.id))
}

/** Records who signed in and returns the one-time code for the client. */
export async function completeFlow(
  db: Queryable,
  secrets: Secrets,
  flow: Flow,
  userId: string,
  outcome: FlowOutcome,
): Promise<string> {
  const code = randomUUID()
  await db
    .updateTable('auth.flow_states')
    .set({ user_id: userId, code_hash: hashCode(code), outcome: sealed(secrets, flow.id, outcome) })
    .where('id', '=', flow.id)
    .execute()
  return code
}

/** A flow that begins with the click on a mailed link: its code, for the client that asked for the mail. */
export async function startMailFlow(
  tx: Queryable,
  secrets: Secrets,
  { userId, challenge, method }: { userId: string; challenge: Challenge; method: string },
): Promise<string> {
  const id = randomUUID()
  const code = randomUUID()
  await tx
    .insertInto('auth.flow_states')
    .values({
      id,
      provider: 'email',
      redirect_to: '',
      code_challenge: challenge.codeChallenge,
      code_challenge_method: challenge.codeChallengeMethod,
      consumed_at: sql`app_now()`,
      code_hash: hashCode(code),
      user_id: userId,
      method,
      outcome: sealed(secrets, id, { tokens: null, link: null }),
      expires_at: sql`app_now() + make_interval(secs => ${FLOW_SECONDS})`,
    })
    .execute()
  return code
}

const sealed = (secrets: Secrets, flowId: string, outcome: FlowOutcome): Buffer =>
  secrets.encrypt(OUTCOME_PURPOSE, JSON.stringify(outcome), flowId)

export interface RedeemedFlow {
  userId: string
  challenge: Challenge
  /** How the session is named in `amr`. */
  method: string
  outcome: FlowOutcome
}

/** Ends a user's sign-ins and links that no client has redeemed yet: their codes would outlive the sessions. */
export async function clearFlows(tx: Queryable, userId: string): Promise<void> {
  await tx
    .deleteFrom('auth.flow_states')
    .where((where) => where.or([where('user_id', '=', userId), where('linking_user_id', '=', userId)]))
    .execute()
}

/** Deletes the flow of `code` and returns it, in the caller's transaction: one of several parallel redemptions gets it. */
export async function redeemFlow(tx: Queryable, secrets: Secrets, code: string): Promise<RedeemedFlow> {
  // Waits for a change that is ending the user's sessions, and then finds no flow.
  await sql`select from auth.users where id = (select user_id from auth.flow_states where code_hash = ${hashCode(code)})
    for key share`.execute(tx)
  const flow = await tx
    .deleteFrom('auth.flow_states')
    .where('code_hash', '=', hashCode(code))
    .returning([
      'id',
      'user_id',
      'code_challenge',
      'code_challenge_method',
      'outcome',
      'method',
      sql<boolean>`expires_at <= app_now()`.as('expired'),
    ])
    .executeTakeFirst()
  if (!flow?.user_id || !flow.outcome || !flow.code_challenge)
    throw new AuthError(404, 'flow_state_not_found', 'invalid flow state, no valid flow state found')
  if (flow.expired) throw new AuthError(422, 'flow_state_expired', 'invalid flow state, flow state has expired')
  return {
    userId: flow.user_id,
    challenge: {
      codeChallenge: flow.code_challenge,
      codeChallengeMethod: flow.code_challenge_method as Challenge['codeChallengeMethod'],
    },
    method: flow.method,
    outcome: JSON.parse(secrets.decrypt(OUTCOME_PURPOSE, flow.outcome, flow.id)),
  }
}

const hashCode = (code: string): Buffer => createHash('sha256').update(code).digest()
