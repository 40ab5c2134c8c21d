import { z } from 'zod'
import type { User } from '#contract/account.ts'
import type { Queryable } from '../../db/database.ts'
import type { AccessClaims } from '../auth/tokens/access-claims.ts'

const MAX_TEXT_CHARACTERS = 2_000
const text = z
  .string()
  .trim()
  .min(1)
  .max(MAX_TEXT_CHARACTERS)
  .refine((value) => value.isWellFormed() && !/\p{Cc}/u.test(value))
const picture = text.pipe(z.url({ protocol: /^https?$/ }))

/**
 * The profile fields in an access token. Users can edit their own metadata at the identity provider, so an invalid value
 * counts as absent and does not prevent sign-in.
 */
export function profileOf({ sub, email, userMetadata }: Pick<AccessClaims, 'sub' | 'email' | 'userMetadata'>) {
  const given = (schema: z.ZodType<string>, ...names: string[]): string | null =>
    names.map((name) => schema.safeParse(userMetadata?.[name]).data).find((value) => value !== undefined) ?? null
  return {
    user_id: sub,
    email: email ?? '',
    full_name: given(text, 'full_name', 'name'),
    avatar_url: given(picture, 'avatar_url', 'picture'),
  }
}

/** Updates the stored profile from the claims, after each sign-in. */
export async function updateProfile(db: Queryable, claims: AccessClaims): Promise<void> {
  const { user_id, ...facts } = profileOf(claims)
  await db.updateTable('profiles').set(facts).where('user_id', '=', user_id).execute()
}

/** The stored profile. Throws if there is none: the session guard creates it first. */
export async function readProfile(db: Queryable, userId: string): Promise<User> {
  const row = await db.selectFrom('profiles').selectAll().where('user_id', '=', userId).executeTakeFirstOrThrow()
  return {
    id: row.user_id,
    email: row.email,
    user_metadata: { full_name: row.full_name, avatar_url: row.avatar_url },
    created_at: row.created_at.toISOString(),
  }
}
