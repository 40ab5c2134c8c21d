import type { Database } from '../../../db/database.ts'
import { actFromCommandLine } from '../acts/act-on-account.ts'
import { suspend } from '../acts/suspend.ts'

/** Suspends or resumes an account, as the command line does. */
export const suspendNow = (db: Database, named: string, suspended: boolean): Promise<unknown> =>
  actFromCommandLine(db, named, { action: 'account.suspended', reason: 'A test' }, (tx, account) =>
    suspend(tx, account, suspended),
  )
