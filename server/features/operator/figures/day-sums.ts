import type { Insertable } from 'kysely'
import { sql } from 'kysely'
import type { Queryable } from '../../../db/database.ts'
import type { OperatorDaily } from '../../../db/schema.gen.ts'

/** The summed columns of `operator_daily`. */
export const sumNames = [
  'granted',
  'burned',
  'repaid',
  'expired',
  'taken_back',
  'received',
  'prepaid',
  'refunded',
  'disputed',
  'sold',
  'earned',
  'lapsed',
  'returned',
  'returned_disputed',
  'forfeited',
  'ungranted',
] as const
export type Sums = Record<(typeof sumNames)[number], number>

/** What one run adds to a day, by currency and source. */
export class DaySums {
  readonly #rows = new Map<string, { currency: string; source: string; sums: Partial<Sums> }>()

  add(currency: string, source: string, given: Partial<Sums>): void {
    const key = `${currency} ${source}`
    const row = this.#rows.get(key) ?? { currency, source, sums: {} }
    for (const name of sumNames) {
      const value = given[name] ?? 0
      if (value !== 0) row.sums[name] = (row.sums[name] ?? 0) + value
    }
    this.#rows.set(key, row)
  }

  /** `day`: `2026-11-27`. */
  async write(tx: Queryable, day: string): Promise<void> {
    const values = [...this.#rows.values()]
      .filter(({ sums }) => Object.keys(sums).length > 0)
      .map(({ currency, source, sums }): Insertable<OperatorDaily> => ({ day, currency, source, ...sums }))
    for (const value of values)
      await tx
        .insertInto('operator_daily')
        .values(value)
        .onConflict((conflict) =>
          conflict
            .columns(['day', 'currency', 'source'])
            .doUpdateSet(
              Object.fromEntries(
                sumNames.map((name) => [name, sql`operator_daily.${sql.ref(name)} + excluded.${sql.ref(name)}`]),
              ),
            ),
        )
        .execute()
  }
}
