import { type RawBuilder, sql } from 'kysely'
import type { ReceiptsFilter } from '#contract/usage.ts'
import type { UserActor } from '../../context.ts'
import type { Deps } from '../../deps.ts'
import { AppError } from '../../http/errors.ts'
import { findOwnKey } from '../keys/get.ts'

/** A filter of the log in database terms; null: any. */
export interface CallFilter {
  /** 0: the playground. */
  keyId: number | null
  toolId: number | null
  success: boolean | null
  /** ISO 8601, inclusive and exclusive; without a start, `-infinity`. */
  from: string
  to: string | null
}

/** Throws invalid_parameter for a tool that was never registered, not_found for another account's key. */
export async function readFilter(
  { db, tools }: Pick<Deps, 'db' | 'tools'>,
  { accountId, bucket }: Pick<UserActor, 'accountId' | 'bucket'>,
  { keyId, tool, status, from, to }: ReceiptsFilter,
): Promise<CallFilter> {
  const toolId = tool === undefined ? null : tools.current().idOf(tool)
  if (tool !== undefined && toolId === null)
    throw new AppError('invalid_parameter', 'tool must be the name of a tool.', { param: 'tool' })
  return {
    keyId:
      keyId === undefined
        ? null
        : keyId === 'playground'
          ? 0
          : (await findOwnKey(db.of(bucket).kysely, accountId, keyId)).keyId,
    toolId,
    success: status === undefined ? null : status === 'success',
    from: from ?? '-infinity',
    to: to ?? null,
  }
}

/** Whether the filter may skip rows in between; a time range skips none. */
export const isSelective = ({ keyId, toolId, success }: CallFilter): boolean =>
  keyId !== null || toolId !== null || success !== null

/** The condition on a usage row. */
export function passes({ keyId, toolId, success }: CallFilter): RawBuilder<boolean> {
  return sql<boolean>`true
    ${keyId === null ? sql`` : keyId === 0 ? sql`and key_id is null` : sql`and key_id = ${keyId}`}
    ${toolId === null ? sql`` : sql`and tool_id = ${toolId}`}
    ${success === null ? sql`` : sql`and success = ${success}`}`
}
