import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import type { DeviceRequest } from '#contract/oauth-routes.ts'
import type { UserContext } from '../../../context.ts'
import type { Queryable } from '../../../db/database.ts'
import { AppError } from '../../../http/errors.ts'
import { lockAccount } from '../../account/lock-account.ts'
import { requireManager } from '../../account/require-role.ts'
import { addConnectionKey } from '../../keys/add-connection-key.ts'
import { nameOfDeviceClient } from './clients.ts'
import { readUserCode } from './user-code.ts'

interface Row {
  hash: Buffer
  client_id: string
  scope: string
  address: string
  created_at: Date
  expired: boolean
  decided: boolean
}

/** What the program with this code asks for. Throws not_found: the code is wrong, expired, or was already used. */
export async function readDeviceRequest({ deps }: UserContext, code: string): Promise<DeviceRequest> {
  const row = await find(deps.db.kysely, code)
  return {
    clientName: nameOfDeviceClient(row.client_id, deps.shop.current()),
    address: row.address,
    requestedAt: row.created_at.toISOString(),
    scopes: row.scope.split(' '),
  }
}

/**
 * Approves the program: creates a key for it, as for a connected application, for MCP and the Data API. `monthlyCredits`
 * null: no budget. With one, `keys:write` is not granted, because a key that the program creates would have none. Owners and
 * admins only. Throws forbidden, not_found, account_suspended, conflict, invalid_parameter if nothing is left to grant.
 */
export async function approveDevice(ctx: UserContext, code: string, monthlyCredits: number | null): Promise<void> {
  requireManager(ctx.actor)
  await ctx.deps.db.kysely.transaction().execute(async (tx) => {
    await lockAccount(tx, ctx.actor.accountId)
    const row = await find(tx, code, 'locked')
    const scope = grantable(row.scope, monthlyCredits)
    const name = `${nameOfDeviceClient(row.client_id, ctx.deps.shop.current())} (connected app)`
    const keyId = await addConnectionKey(tx, ctx, name, monthlyCredits, ['rest', 'mcp'])
    const grantId = randomUUID()
    await tx
      .insertInto('oauth_grants')
      .values({
        id: grantId,
        account_id: ctx.actor.accountId,
        user_id: ctx.actor.userId,
        key_id: keyId,
        client_id: row.client_id,
        scope,
      })
      .execute()
    await tx.updateTable('oauth_device_requests').set({ grant_id: grantId }).where('hash', '=', row.hash).execute()
  })
}

function grantable(asked: string, monthlyCredits: number | null): string {
  if (monthlyCredits === null) return asked
  const scopes = asked.split(' ').filter((scope) => scope !== 'keys:write')
  if (scopes.length > 0) return scopes.join(' ')
  throw new AppError(
    'invalid_parameter',
    'This program only asks to manage API keys, which a monthly limit rules out.',
    {
      param: 'monthlyCredits',
    },
  )
}

/** Refuses the program, which learns it at its next poll. Throws not_found. */
export async function denyDevice({ deps }: UserContext, code: string): Promise<void> {
  await deps.db.kysely.transaction().execute(async (tx) => {
    const row = await find(tx, code, 'locked')
    await sql`update oauth_device_requests set denied_at = app_now() where hash = ${row.hash}`.execute(tx)
  })
}

async function find(db: Queryable, code: string, lock?: 'locked'): Promise<Row> {
  const { rows } = await sql<Row>`
    select hash, client_id, scope, address, created_at, expires_at <= app_now() as expired,
      denied_at is not null or grant_id is not null as decided
    from oauth_device_requests where user_code = ${readUserCode(code)} ${sql.raw(lock ? 'for update' : '')}`.execute(db)
  const [row] = rows
  if (!row) throw new AppError('not_found', 'No program is waiting with this code. Check the letters.')
  if (row.decided) throw new AppError('not_found', 'This code was already used. Start again from the program.')
  if (row.expired) throw new AppError('not_found', 'This code has expired. Start again from the program.')
  return row
}
