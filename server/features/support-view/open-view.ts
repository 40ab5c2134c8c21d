import { sql } from 'kysely'
import type { UserContext } from '../../context.ts'
import type { Deps } from '../../deps.ts'
import { AppError } from '../../http/errors.ts'
import { isConsoleOpen } from '../auth/is-console-open.ts'
import { hashOfView } from './view-token.ts'

/**
 * All that a view reads, by route. What is missing here is refused: secrets, such as the one of a webhook, exports, second factors,
 * and the playground, which acts for the customer elsewhere.
 */
const readable: ReadonlySet<string> = new Set([
  '/api/auth/profile',
  '/api/workspaces',
  '/api/audit',
  '/api/team',
  '/api/account/deletion',
  '/api/keys',
  '/api/keys/:id',
  '/api/keys/:id/analytics',
  '/api/usage',
  '/api/usage/tools',
  '/api/usage/receipts',
  '/api/usage/receipts/:id',
  '/api/billing/plans',
  '/api/billing/plans/:id',
  '/api/billing/subscription',
  '/api/billing/preferences',
  '/api/billing/credits',
  '/api/billing/credits/history',
  '/api/billing/credits/topup',
  '/billing/invoices',
])

interface Asked {
  method: string
  /** The route's pattern. */
  url: string
  /** `X-Workspace-Id`. */
  workspace: string | undefined
}

/**
 * The owner's side of an account for an operator who views it: the one place where a view is let in, to read. Throws unauthorized when
 * the view or its session of the console has ended or its operator may no longer view, forbidden for anything but reading what a view may read, and not_found
 * for another workspace.
 */
export async function openView(
  deps: Deps,
  token: string,
  { method, url, workspace }: Asked,
): Promise<UserContext['actor']> {
  const { rows } = await sql<{
    accountId: number
    publicId: string
    bucket: number
    userId: string
    email: string
  }>`
    select a.id as "accountId", a.public_id as "publicId", a.bucket, m.user_id as "userId", p.email
    from support_views v
    join operators o on o.id = v.operator_id and o.role in ('owner', 'support')
    join accounts a on a.id = v.account_id
    join account_members m on m.account_id = a.id and m.user_id = v.user_id and m.role = 'owner'
    join profiles p on p.user_id = m.user_id
    where v.hash = ${hashOfView(token)} and v.ended_at is null and v.expires_at > app_now()
      and (v.console_session_hash is null or exists (select from operator_sessions s where s.hash = v.console_session_hash and ${isConsoleOpen(deps)}))`.execute(
    deps.db.kysely,
  )
  const found = rows[0]
  if (!found) throw new AppError('unauthorized', 'This view of a customer has ended.')
  if (!['GET', 'HEAD'].includes(method) || !readable.has(url))
    throw new AppError(
      'forbidden',
      'A view of a customer is read-only and shows no secrets, exports or second factors.',
    )
  if (workspace !== undefined && workspace !== found.publicId)
    throw new AppError('not_found', 'This view belongs to another workspace.')
  const { publicId: _, ...actor } = found
  return { kind: 'user', ...actor, role: 'owner', sessionId: 'support-view', isView: true }
}
