import { sql } from 'kysely'
import type { Queryable } from '../../../db/database.ts'
import { namesAddress } from '../../../mail/name-in-mail.ts'
import { AuthError } from '../errors.ts'

type JsonObject = Record<string, unknown>

/** The limit for what clients store with a user, in bytes of JSON: every access token, and so every request, carries it. */
const MOST_BYTES = 4 * 1024
/** Sign-up and providers add claims of their own. */
const MOST_TOKEN_BYTES = 5 * 1024
const NAMES = ['full_name', 'name', 'preferred_username', 'user_name', 'nickname']
/** What the product reads of a token (features/account/profile.ts). */
const NEEDED = ['full_name', 'name', 'avatar_url', 'picture']
const MOST_NEEDED_CHARACTERS = 500

const bytesOf = (data: JsonObject): number => Buffer.byteLength(JSON.stringify(data))

/** Why metadata cannot be kept, or null. */
export function sizeFault(data: JsonObject): string | null {
  const bytes = bytesOf(data)
  if (bytes <= MOST_BYTES) return null
  return `can have at most ${MOST_BYTES} bytes of JSON, not ${bytes}. Store large values elsewhere; null removes a key`
}

/** The first name field that contains an address. */
export const nameWithAddress = (data: JsonObject): string | undefined =>
  NAMES.find((one) => typeof data[one] === 'string' && namesAddress(data[one]))

/**
 * Merges `data` into a user's metadata, in the caller's transaction; null removes a key. Throws 422 if the result is too
 * large, unless it is smaller than before, so that rows from before the limit can be repaired step by step.
 */
export async function mergeMetadata(
  tx: Queryable,
  userId: string,
  column: 'user_metadata' | 'app_metadata',
  data: JsonObject,
): Promise<void> {
  const gone = Object.entries(data).flatMap(([key, value]) => (value === null ? [key] : []))
  const { before, after } = await tx
    .updateTable('auth.users as u')
    .from((from) =>
      from
        .selectFrom('auth.users')
        .select(['id', `${column} as before`])
        .as('old'),
    )
    .set({
      [column]: sql`(${sql.ref(`u.${column}`)} || ${JSON.stringify(data)}::jsonb) - ${gone}::text[]`,
      updated_at: sql`app_now()`,
    })
    .whereRef('old.id', '=', 'u.id')
    .where('u.id', '=', userId)
    .returning(['old.before', `u.${column} as after`])
    .executeTakeFirstOrThrow()
  const fault = sizeFault(after as JsonObject)
  if (fault && bytesOf(after as JsonObject) >= bytesOf(before as JsonObject))
    throw new AuthError(422, 'validation_failed', `${column} ${fault}`)
}

/** The user_metadata of an access token: all of it, or only what the product reads if a header could not carry all. */
export function tokenMetadata(data: JsonObject): JsonObject {
  if (bytesOf(data) <= MOST_TOKEN_BYTES) return data
  const isShort = (value: unknown) => typeof value === 'string' && value.length <= MOST_NEEDED_CHARACTERS
  return Object.fromEntries(NEEDED.flatMap((name) => (isShort(data[name]) ? [[name, data[name]]] : [])))
}

/** The same for app_metadata: if it is too large, only how the user signs in. */
export function tokenAppMetadata(data: JsonObject): JsonObject {
  if (bytesOf(data) <= MOST_TOKEN_BYTES) return data
  return { provider: data.provider, providers: data.providers }
}
