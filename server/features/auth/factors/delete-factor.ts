import type { Selectable } from 'kysely'
import type { Queryable } from '../../../db/database.ts'
import type { AuthMfaFactors } from '../../../db/schema.gen.ts'
import { type AdminActor, noteSecurityEvent } from '../audit.ts'
import { mailChange } from '../changes/mail-change.ts'
import type { AuthDeps } from '../deps.ts'
import { AuthError } from '../errors.ts'
import type { CurrentUser } from '../sessions/current-user.ts'
import { lockUser } from '../users/find-user.ts'
import { SECOND_FACTORS } from './recent-proof.ts'

/** Removes one of the caller's factors. A verified one requires a recent second factor. */
export async function deleteFactor(deps: AuthDeps, caller: CurrentUser, factorId: string): Promise<{ id: string }> {
  return deps.db.kysely.transaction().execute(async (tx) => {
    const user = await lockUser(tx, caller.userId)
    const factor = await tx
      .selectFrom('auth.mfa_factors')
      .selectAll()
      .where('id', '=', factorId)
      .where('user_id', '=', caller.userId)
      .executeTakeFirst()
    if (!factor) throw new AuthError(404, 'mfa_factor_not_found', 'Factor not found')
    if (factor.status === 'verified' && !(caller.aal === 'aal2' && caller.recent))
      throw new AuthError(422, 'insufficient_aal', 'AAL2 required to unenroll verified factor')
    await removeFactor(tx, caller.userId, factorId)
    if (factor.status === 'verified')
      await mailChange(
        tx,
        deps,
        { userId: caller.userId, to: [user.email] },
        { change: 'factor_removed', name: factor.friendly_name || 'A second factor', factor: keptFactor(factor) },
      )
    return { id: factorId }
  })
}

/** The row as text, its encrypted secret in PostgreSQL's form of bytes. */
const keptFactor = ({ secret, ...factor }: Selectable<AuthMfaFactors>): object => ({
  ...factor,
  secret: secret && `\\x${secret.toString('hex')}`,
})

/** Deletes the factor and the proofs given with it: sessions without another one fall back to aal1. `by`: an admin. */
export async function removeFactor(tx: Queryable, userId: string, factorId: string, by?: AdminActor): Promise<void> {
  await tx.deleteFrom('auth.mfa_factors').where('id', '=', factorId).execute()
  await tx.deleteFrom('auth.session_methods').where('factor_id', '=', factorId).execute()
  await tx
    .updateTable('auth.sessions as s')
    .set({ aal: 'aal1' })
    .where('s.user_id', '=', userId)
    .where('s.aal', '=', 'aal2')
    .where((where) =>
      where.not(
        where.exists(
          where
            .selectFrom('auth.session_methods as m')
            .select('m.method')
            .whereRef('m.session_id', '=', 's.id')
            .where('m.method', 'in', [...SECOND_FACTORS]),
        ),
      ),
    )
    .execute()
  await noteSecurityEvent(tx, userId, by ? 'auth.factor_deleted_by_admin' : 'auth.factor_deleted', factorId, {}, by)
}
