import { AsyncLocalStorage } from 'node:async_hooks'
import { Kysely, type Transaction, type TransactionBuilder } from 'kysely'

const scope = new AsyncLocalStorage<{ open: boolean }>()

/** Whether the caller runs within a transaction that has not ended: it must not wait for another server there. */
export const isInTransaction = (): boolean => scope.getStore()?.open === true

/** Kysely that knows, for `isInTransaction`, while its transactions run. */
export class KnownTransactions<DB> extends Kysely<DB> {
  override transaction(): TransactionBuilder<DB> {
    const builder = super.transaction()
    const execute = builder.execute.bind(builder)
    builder.execute = <T>(work: (tx: Transaction<DB>) => Promise<T>) =>
      execute(async (tx) => {
        const state = { open: true }
        try {
          return await scope.run(state, () => work(tx))
        } finally {
          // What the work started without waiting for it goes on outside of the transaction.
          state.open = false
        }
      })
    return builder
  }
}

/** Runs `work` in a transaction: the caller's, if `db` is one, or else a new one. So verbs can be joined to one act. */
export const transact = <DB, T>(db: Kysely<DB>, work: (tx: Kysely<DB>) => Promise<T>): Promise<T> =>
  db.isTransaction ? work(db) : db.transaction().execute(work)
