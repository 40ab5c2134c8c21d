import { operatorRole } from '#contract/operator/route.ts'
import { removeFactor } from '../features/auth/factors/delete-factor.ts'
import { ENTRY_DAYS, newEntryLink } from '../features/operator/console/entry-link.ts'
import {
  letFactors,
  listOperators,
  removeOperator,
  setOperator,
} from '../features/operator/console/manage-operators.ts'
import { COMMAND_LINE, logAct, NO_REASON } from '../features/operator/console/run-act.ts'
import type { Connection } from './connect.ts'
import { print, Usage } from './print.ts'

interface Given {
  words: string[]
  role: string | undefined
  reason: string | undefined
  usage: string
}

/** `operator add | list | remove | trust-factor | forget-factor`: who may open the console. Changes are in the operators' log. */
export async function manageOperators(
  { db, config }: Connection,
  { words, role, reason, usage }: Given,
): Promise<void> {
  const [verb = 'list', email = '', ...more] = words
  const named = verb === 'list' ? email === '' : /^[^\s@]+@[^\s@]+$/.test(email)
  if (more.length > 0 || !named || (role !== undefined && verb !== 'add')) throw new Usage(usage)
  const log = { reason: reason?.trim() || NO_REASON, target: email.toLowerCase() }
  if (verb === 'list') {
    const operators = await listOperators(db.kysely)
    if (operators.length === 0) print('There are no operators. npm run admin -- operator add <email> adds the first.')
    for (const one of operators)
      print(
        [
          one.email,
          one.role,
          `added ${one.added_at} by ${one.added_by}`,
          ...(one.entered ? [] : ['has not entered yet']),
        ].join('  '),
      )
  } else if (verb === 'add') {
    const wanted = operatorRole.safeParse(role ?? 'owner')
    if (!wanted.success) throw new Error(`--role: must be one of ${operatorRole.options.join(', ')}, not ${role}.`)
    const link = await db.kysely.transaction().execute(async (tx) => {
      const before = await findOperator(tx, email)
      const { role: after } = await setOperator(tx, { email, role: wanted.data, addedBy: COMMAND_LINE })
      await logAct(
        tx,
        COMMAND_LINE,
        { ...log, action: 'operator.set' },
        { ...(before && { before: { role: before.role } }), after: { role: after } },
      )
      return newEntryLink(tx, email, config.PUBLIC_URL)
    })
    print(
      `${email.toLowerCase()} is an operator with the role ${wanted.data}.`,
      ...(link ? [`They open this link once, within ${ENTRY_DAYS} days, and sign in with that address: ${link}`] : []),
    )
  } else if (verb === 'remove') {
    await db.kysely.transaction().execute(async (tx) => {
      const found = await needOperator(tx, email)
      const { role: before } = await removeOperator(tx, found.id)
      await logAct(
        tx,
        COMMAND_LINE,
        { ...log, action: 'operator.removed' },
        { before: { email: found.email, role: before } },
      )
    })
    print(`${email.toLowerCase()} is no operator any more; their open pages stop working.`)
  } else if (verb === 'trust-factor') {
    await db.kysely.transaction().execute(async (tx) => {
      await letFactors(tx, (await needOperator(tx, email)).id)
      await logAct(tx, COMMAND_LINE, { ...log, action: 'operator.factor_trusted' }, {})
    })
    print('The second factor of this person counts at once, and so does one that they add within a day.')
  } else if (verb === 'forget-factor') {
    const forgotten = await db.kysely.transaction().execute((tx) => forgetFactors(tx, email, log))
    print(
      forgotten === 0
        ? 'This person has no second factor.'
        : `${forgotten} second factors are deleted, and the person is signed out of the console. They add a new one after signing in.`,
    )
  } else throw new Usage(usage)
}

type Queryable = Connection['db']['kysely']

async function findOperator(tx: Queryable, email: string) {
  return tx
    .selectFrom('operators')
    .select(['id', 'email', 'role', 'user_id'])
    .where('email', '=', email.toLowerCase())
    .executeTakeFirst()
}

async function needOperator(tx: Queryable, email: string) {
  const found = await findOperator(tx, email)
  if (!found) throw new Error(`There is no operator ${email}. npm run admin -- operator list shows them.`)
  return found
}

/** For a person who lost the factor. Only for operators: others have their recovery, or support through /auth/v1/admin. */
async function forgetFactors(tx: Queryable, email: string, log: { reason: string; target: string }): Promise<number> {
  const { id, user_id } = await needOperator(tx, email)
  if (!user_id) throw new Error(`${email} has not opened the console yet, so it is not known which user that is.`)
  const factors = await tx
    .selectFrom('auth.mfa_factors')
    .select(['id', 'factor_type'])
    .where('user_id', '=', user_id)
    .execute()
  for (const factor of factors) await removeFactor(tx, user_id, factor.id, 'system:operator')
  await tx.deleteFrom('operator_sessions').where('operator_id', '=', id).execute()
  // The command line vouches for the next one.
  await letFactors(tx, id)
  if (factors.length > 0)
    await logAct(
      tx,
      COMMAND_LINE,
      { ...log, action: 'operator.factor_forgotten' },
      { before: { factors: factors.map(({ factor_type }) => factor_type) } },
    )
  return factors.length
}
