import type { Actor, UserActor } from '../../context.ts'
import { emptiestBucket } from '../../db/buckets.ts'
import type { Queryable } from '../../db/database.ts'
import { AppError } from '../../http/errors.ts'
import type { AccessClaims } from '../auth/tokens/access-claims.ts'
import { openCreditAccount } from '../credits/open-account.ts'
import { audit } from './audit.ts'
import { profileOf } from './profile.ts'

/**
 * Creates profile, Personal account, owner membership and credit account of a new user in one transaction. Concurrent first
 * requests create them once: the others wait for the profile's row and then find it.
 */
export async function openPersonalAccount(db: Queryable, claims: AccessClaims): Promise<void> {
  await db.transaction().execute(async (tx) => {
    const profile = profileOf(claims)
    await tx
      .insertInto('profiles')
      .values(profile)
      .onConflict((conflict) => conflict.column('user_id').doNothing())
      .execute()
    await refuseDeleted(tx, claims.sub)
    await addPersonalAccount(tx, { userId: claims.sub, email: profile.email, sessionId: claims.sessionId })
  })
}

/** An access token may outlive its user by up to an hour and must not recreate them. Throws unauthorized. */
async function refuseDeleted(tx: Queryable, userId: string): Promise<void> {
  const deleted = await tx
    .selectFrom('profiles')
    .select('user_id')
    .where('user_id', '=', userId)
    .where('deleted_at', 'is not', null)
    .executeTakeFirst()
  if (deleted) throw new AppError('unauthorized')
}

/** Creates a Personal account for a user with a profile. Null: they already have one. */
export async function addPersonalAccount(
  tx: Queryable,
  { userId, email, sessionId }: Pick<UserActor, 'userId' | 'email' | 'sessionId'>,
): Promise<{ accountId: number } | null> {
  const account = await tx
    .insertInto('accounts')
    .values({ name: 'Personal', personal_of: userId, bucket: emptiestBucket })
    .onConflict((conflict) => conflict.column('personal_of').doNothing())
    .returning(['id', 'bucket', 'public_id'])
    .executeTakeFirst()
  if (!account) return null
  await tx.insertInto('account_members').values({ account_id: account.id, user_id: userId, role: 'owner' }).execute()
  await openCreditAccount(tx, account.id)
  const actor: Actor = {
    kind: 'user',
    userId,
    email,
    sessionId,
    accountId: account.id,
    bucket: account.bucket,
    role: 'owner',
  }
  await audit(tx, { accountId: account.id, actor, action: 'account.created', target: account.public_id })
  return { accountId: account.id }
}
