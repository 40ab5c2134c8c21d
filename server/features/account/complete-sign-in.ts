import type { User } from '#contract/account.ts'
import type { Deps } from '../../deps.ts'
import { readProfile, updateProfile } from './profile.ts'
import { resolveWorkspace } from './resolve-workspace.ts'

/**
 * After sign-in: creates what a new user needs and updates name, email and picture. Trusts only the access token. Throws
 * unauthorized if its signature is invalid or it has expired.
 */
export async function completeSignIn({ db, accessTokens }: Deps, accessToken: string): Promise<User> {
  const claims = await accessTokens.verify(accessToken, { anyLevel: true })
  await resolveWorkspace(db.kysely, claims)
  await updateProfile(db.kysely, claims)
  return readProfile(db.kysely, claims.sub)
}
