import { sql } from 'kysely'
import type { Queryable } from '../../../db/database.ts'
import { noteSecurityEvent } from '../audit.ts'
import { AuthError } from '../errors.ts'
import { clearUnproven } from '../users/clear-unproven.ts'
import { listProviders } from '../users/confirm-address.ts'
import type { ExternalIdentity } from './provider.ts'

interface Owner {
  id: string
  confirmed: boolean
  email: string | null
  banned: boolean
}

/** Whose identity it is. `awaitingProof`: their address has yet to be confirmed, so nobody may sign in. */
export interface SignInOutcome {
  userId: string
  awaitingProof: boolean
}

/**
 * Finds or creates the user for a provider's identity, in the caller's transaction, and returns their id. The
 * provider's own id decides; a new identity joins an existing user only by its verified primary address.
 * `signUp`: whether new users may sign up. Throws AuthError.
 */
export async function signInWithIdentity(
  tx: Queryable,
  identity: ExternalIdentity,
  { signUp, mayMail }: { signUp: boolean; mayMail: boolean },
): Promise<SignInOutcome> {
  const known = (await findByIdentity(tx, identity)) ?? (await findAfterLock(tx, identity))
  if (known) {
    refuseBanned(known)
    await refreshIdentity(tx, identity, known.id)
    if (known.confirmed || !known.email) return { userId: known.id, awaitingProof: false }
    if (!identity.emailVerified || identity.email !== known.email) return { userId: known.id, awaitingProof: true }
    await confirmOwn(tx, known.id)
    return { userId: known.id, awaitingProof: false }
  }
  const { email, provider } = identity
  if (!email) throw new AuthError(500, 'unexpected_failure', 'Error getting user email from external provider')
  const owners = await findByEmail(tx, email)
  if (!identity.emailVerified) {
    // A taken address cannot be claimed without proof; a free one is confirmed by email.
    if (owners.length > 0 || !mayMail) throw unverified(provider)
    if (!signUp) throw signUpOff()
    return { userId: await createPerson(tx, identity, email, false), awaitingProof: true }
  }
  if (owners.length > 1) {
    throw new AuthError(
      500,
      'unexpected_failure',
      'Multiple accounts with the same email address in the same linking domain detected',
    )
  }
  const owner = owners[0]
  if (!owner) {
    if (!signUp) throw signUpOff()
    return { userId: await createPerson(tx, identity, email, true), awaitingProof: false }
  }
  refuseBanned(owner)
  if (!owner.confirmed) {
    await clearUnproven(tx, owner.id)
    await confirmOwn(tx, owner.id)
  }
  await addIdentity(tx, identity, owner.id)
  await noteSecurityEvent(tx, owner.id, 'auth.identity_linked', `${provider}:${identity.providerId}`)
  return { userId: owner.id, awaitingProof: false }
}

const unverified = (provider: string): AuthError =>
  new AuthError(
    422,
    'provider_email_needs_verification',
    `Unverified email with ${provider}. Verify the email with ${provider} in order to sign in`,
  )
const signUpOff = (): AuthError => new AuthError(422, 'signup_disabled', 'Signups not allowed for this instance')

async function confirmOwn(tx: Queryable, userId: string): Promise<void> {
  await tx.updateTable('auth.users').set({ email_confirmed_at: sql`app_now()` }).where('id', '=', userId).execute()
  await noteSecurityEvent(tx, userId, 'auth.email_confirmed', userId)
}

/** Serializes first sign-ins of one identity or address; later ones find the user that the first one created. */
async function findAfterLock(tx: Queryable, identity: ExternalIdentity): Promise<Owner | undefined> {
  const { provider, providerId, email } = identity
  for (const claim of [`${provider}:${providerId}`, `email:${email}`])
    await sql`select pg_advisory_xact_lock(hashtextextended(${claim}, 0))`.execute(tx)
  return findByIdentity(tx, identity)
}

function findByIdentity(tx: Queryable, { provider, providerId }: ExternalIdentity): Promise<Owner | undefined> {
  return tx
    .selectFrom('auth.identities as i')
    .innerJoin('auth.users as u', 'u.id', 'i.user_id')
    .select([
      'u.id',
      sql<boolean>`u.email_confirmed_at is not null`.as('confirmed'),
      'u.email',
      sql<boolean>`coalesce(u.banned_until > app_now(), false)`.as('banned'),
    ])
    .where('i.provider', '=', provider)
    .where('i.provider_id', '=', providerId)
    .executeTakeFirst()
}

/** All users with the address, as their own or verified by one of their identities. */
function findByEmail(tx: Queryable, email: string): Promise<Owner[]> {
  return tx
    .selectFrom('auth.users as u')
    .select([
      'u.id',
      sql<boolean>`u.email_confirmed_at is not null`.as('confirmed'),
      'u.email',
      sql<boolean>`coalesce(u.banned_until > app_now(), false)`.as('banned'),
    ])
    .where((where) =>
      where.or([
        where('u.email', '=', email),
        where.exists(
          where
            .selectFrom('auth.identities as i')
            .select('i.id')
            .whereRef('i.user_id', '=', 'u.id')
            .where('i.email', '=', email)
            .where(sql<boolean>`i.identity_data @> '{"email_verified": true}'`),
        ),
      ]),
    )
    .execute()
}

function refuseBanned({ banned }: Owner): void {
  if (banned) throw new AuthError(403, 'user_banned', 'User is banned')
}

async function createPerson(
  tx: Queryable,
  identity: ExternalIdentity,
  email: string,
  confirmed: boolean,
): Promise<string> {
  const { id } = await tx
    .insertInto('auth.users')
    .values({ email, email_confirmed_at: confirmed ? sql<Date>`app_now()` : null })
    .returning('id')
    .executeTakeFirstOrThrow()
  await addIdentity(tx, identity, id)
  await noteSecurityEvent(tx, id, 'auth.signed_up', `${identity.provider}:${identity.providerId}`)
  return id
}

/** Adds a new identity and its claims. Returns its id. */
export async function addIdentity(
  tx: Queryable,
  { provider, providerId, metadata }: Omit<ExternalIdentity, 'tokens'>,
  userId: string,
): Promise<string> {
  const { id } = await tx
    .insertInto('auth.identities')
    .values({
      user_id: userId,
      provider,
      provider_id: providerId,
      identity_data: JSON.stringify(metadata),
      last_sign_in_at: sql`app_now()`,
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  await mergeMetadata(tx, userId, metadata)
  await listProviders(tx, userId)
  return id
}

/** Names and pictures follow the provider; the user's own address does not change. */
async function refreshIdentity(
  tx: Queryable,
  { provider, providerId, metadata }: ExternalIdentity,
  userId: string,
): Promise<void> {
  await tx
    .updateTable('auth.identities')
    .set({ identity_data: JSON.stringify(metadata), last_sign_in_at: sql`app_now()`, updated_at: sql`app_now()` })
    .where('provider', '=', provider)
    .where('provider_id', '=', providerId)
    .execute()
  await mergeMetadata(tx, userId, metadata)
}

async function mergeMetadata(tx: Queryable, userId: string, metadata: Record<string, unknown>): Promise<void> {
  await tx
    .updateTable('auth.users')
    .set({ user_metadata: sql`user_metadata || ${JSON.stringify(metadata)}::jsonb`, updated_at: sql`app_now()` })
    .where('id', '=', userId)
    .execute()
}
