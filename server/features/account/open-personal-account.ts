import type { Actor } from '../../context.ts'
import type { Queryable } from '../../db/database.ts'
import type { AccessClaims } from '../auth/access-tokens.ts'
import { openCreditAccount } from '../credits/open-account.ts'
import { audit } from './audit.ts'
import { profileOf } from './profile.ts'

/**
 * Makes profile, Personal account, owner membership and credit account of a person seen for the first time, all or
 * nothing. Any number of first requests at once make one: the others wait at the profile's key and then find it made.
 */
export async function openPersonalAccount(db: Queryable, claims: AccessClaims): Promise<void> {
  await db.transaction().execute(async (tx) => {
    const profile = profileOf(claims)
    await tx
      .insertInto('profiles')
      .values(profile)
      .onConflict((conflict) => conflict.column('user_id').doNothing())
      .execute()
    const account = await tx
      .insertInto('accounts')
      .values({ name: 'Personal', personal_of: profile.user_id })
      .onConflict((conflict) => conflict.column('personal_of').doNothing())
      .returning(['id', 'public_id'])
      .executeTakeFirst()
    if (!account) return
    await tx
      .insertInto('account_members')
      .values({ account_id: account.id, user_id: profile.user_id, role: 'owner' })
      .execute()
    await openCreditAccount(tx, account.id)
    const actor: Actor = {
      kind: 'user',
      userId: claims.sub,
      email: profile.email,
      sessionId: claims.sessionId,
      accountId: account.id,
      role: 'owner',
    }
    await audit(tx, { accountId: account.id, actor, action: 'account.created', target: account.public_id })
  })
}
