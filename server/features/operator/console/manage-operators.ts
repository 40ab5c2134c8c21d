import { sql } from 'kysely'
import type { z } from 'zod'
import type { OperatorRole } from '#contract/operator/route.ts'
import type { operatorEntry } from '#contract/operator/session-routes.ts'
import type { Queryable } from '../../../db/database.ts'
import { AppError } from '../../../http/errors.ts'

type OperatorEntry = z.input<typeof operatorEntry>

const columns = sql`id, email, role, user_id is not null as entered, added_by, added_at`

export async function listOperators(db: Queryable): Promise<OperatorEntry[]> {
  const { rows } = await sql<Row>`select ${columns} from operators order by email`.execute(db)
  return rows.map(entryOf)
}

/** How long factors that a person adds count at once, after somebody who may has let them. */
const LET_FACTORS = sql`interval '1 day'`

/** Lets the factors that an operator has, or adds within a day, confirm acts on money and people at once. */
export const letFactors = (tx: Queryable, id: number) =>
  sql`update operators set factors_let_until = app_now() + ${LET_FACTORS} where id = ${id}`.execute(tx)

/** Adds an operator or changes their role. Throws conflict if no owner would remain. */
export async function setOperator(
  tx: Queryable,
  { email, role, addedBy }: { email: string; role: OperatorRole; addedBy: string },
): Promise<OperatorEntry> {
  await lockOperators(tx)
  const { rows } = await sql<Row>`
    insert into operators (email, role, added_by, factors_let_until)
    values (${email.toLowerCase()}, ${role}, ${addedBy}, app_now() + ${LET_FACTORS})
    on conflict (email) do update set role = excluded.role returning ${columns}`.execute(tx)
  await requireOwner(tx)
  return entryOf(rows[0]!)
}

/** Removes an operator; their sessions end. Throws not_found, and conflict if no owner would remain. */
export async function removeOperator(tx: Queryable, id: number): Promise<OperatorEntry> {
  await lockOperators(tx)
  const { rows } = await sql<Row>`delete from operators where id = ${id} returning ${columns}`.execute(tx)
  if (!rows[0]) throw new AppError('not_found', 'There is no such operator.')
  await requireOwner(tx)
  return entryOf(rows[0])
}

/** Two owners may remove each other at once: the second waits, and sees what the first did. */
export const lockOperators = (tx: Queryable) => sql`lock table operators in share row exclusive mode`.execute(tx)

async function requireOwner(tx: Queryable): Promise<void> {
  const { rows } = await sql`select from operators where role = 'owner' limit 1`.execute(tx)
  if (rows.length === 0)
    throw new AppError('conflict', 'The last owner cannot be removed. Make another operator an owner first.')
}

type Row = Omit<OperatorEntry, 'added_at'> & { added_at: Date }

const entryOf = ({ added_at, ...row }: Row): OperatorEntry => ({ ...row, added_at: added_at.toISOString() })
