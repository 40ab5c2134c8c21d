import { expect, test } from 'vitest'
import { openDatabase } from '../../../db/database.ts'
import { createAccountIds } from '../../meter-door/account-ids.ts'
import { createCallerNames } from './call-upstream.ts'

test('while the database cannot be reached, a caller whose names are not known yet gets 503 and may come again', async () => {
  const db = openDatabase('postgres://postgres@127.0.0.1:1/none', 1, () => {})
  try {
    const expected = { code: 'metering_unavailable', status: 503, detail: { retryAfterSeconds: 2 } }
    await expect(createCallerNames(db)({ accountId: 1, keyId: 1 })).rejects.toMatchObject(expected)
    await expect(createAccountIds({ db })(1)).rejects.toMatchObject(expected)
  } finally {
    await db.close()
  }
})
