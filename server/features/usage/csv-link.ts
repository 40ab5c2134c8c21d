import type { ReceiptsFilter } from '#contract/usage.ts'
import { receiptsFilter } from '#contract/usage.ts'
import type { UserActor, UserContext } from '../../context.ts'
import type { Deps } from '../../deps.ts'
import { AppError } from '../../http/errors.ts'
import { hasAccess } from '../account/has-access.ts'
import { readFilter } from './receipt-filter.ts'

const LIFETIME_S = 15 * 60
const PURPOSE = 'receipts-csv'
export const CSV_PATH = '/api/usage/receipts.csv'

/**
 * A link to the log as CSV that works for fifteen minutes without a session, since a browser download sends no bearer
 * token. Bound to person, workspace and filter. Throws for an invalid filter, so that no link leads to an error.
 */
export async function signCsvLink({ actor, deps }: UserContext, filter: ReceiptsFilter): Promise<string> {
  await readFilter(deps, actor, filter)
  const account = await deps.db.kysely
    .selectFrom('accounts')
    .select('public_id')
    .where('id', '=', actor.accountId)
    .executeTakeFirstOrThrow()
  const query = new URLSearchParams(filter)
  query.set('workspace', account.public_id)
  query.set('person', actor.userId)
  query.set('expires', String(Math.floor(Date.now() / 1000) + LIFETIME_S))
  query.set('signature', deps.secrets.mac(PURPOSE, query.toString()).toString('base64url'))
  return `${deps.config.PUBLIC_URL}${CSV_PATH}?${query}`
}

/**
 * The workspace and filter of a link. Throws not_found for a forged, altered or expired one, and when its person has no access
 * to the workspace any more.
 */
export async function openCsvLink(
  deps: Pick<Deps, 'config' | 'db' | 'secrets'>,
  query: URLSearchParams,
): Promise<{ account: Pick<UserActor, 'accountId' | 'bucket'>; filter: ReceiptsFilter }> {
  const given = Buffer.from(query.get('signature') ?? '', 'base64url')
  query.delete('signature')
  if (!deps.secrets.isMac(PURPOSE, query.toString(), given))
    throw new AppError('not_found', 'This link is not valid. Download the list again.')
  const { workspace = '', person = '', expires, ...filter } = Object.fromEntries(query)
  if (Number(expires) * 1000 < Date.now())
    throw new AppError('not_found', 'This link has expired. Download the list again.')
  const account = await deps.db.kysely
    .selectFrom('accounts')
    .select(['id as accountId', 'bucket'])
    .where('public_id', '=', workspace)
    .executeTakeFirst()
  if (!account || !(await hasAccess(deps, { accountId: account.accountId, userId: person })))
    throw new AppError('not_found', 'This link is not valid. Download the list again.')
  return { account, filter: receiptsFilter.parse(filter) }
}
