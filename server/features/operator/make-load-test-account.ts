import { randomUUID } from 'node:crypto'
import { emptiestBucket } from '../../db/buckets.ts'
import type { Queryable } from '../../db/database.ts'
import type { Secrets } from '../../secrets/secrets.ts'
import { audit } from '../account/audit.ts'
import { operator } from '../account/operator.ts'
import { grantCredits } from '../credits/grant.ts'
import { openCreditAccount } from '../credits/open-account.ts'
import { addKey } from '../keys/create.ts'

/** Creates an account without owner or rate limit, with `credits` to spend and one key. Returns its id and key. */
export async function makeLoadTestAccount(
  db: Queryable,
  secrets: Secrets,
  credits: number,
): Promise<{ accountId: string; key: string }> {
  return db.transaction().execute(async (tx) => {
    const publicId = randomUUID()
    const account = await tx
      .insertInto('accounts')
      .values({ public_id: publicId, name: 'Load test', rate_limit_per_minute: 0, bucket: emptiestBucket })
      .returning('id')
      .executeTakeFirstOrThrow()
    await openCreditAccount(tx, account.id)
    await grantCredits(tx, {
      accountId: account.id,
      kind: 'promo',
      amount: credits,
      sourceType: 'load_test',
      sourceId: publicId,
    })
    const { secret } = await addKey(
      tx,
      { accountId: account.id, actor: operator, secrets, reveal: 'once' },
      'Load test',
    )
    await audit(tx, {
      accountId: account.id,
      actor: operator,
      action: 'account.created',
      target: publicId,
      detail: { loadTest: true, credits },
    })
    return { accountId: publicId, key: secret }
  })
}
