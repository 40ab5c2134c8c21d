import type { User } from '#contract/account.ts'
import type { Deps } from '../../deps.ts'
import { readProfile, updateProfile } from './profile.ts'
import { resolveWorkspace } from './resolve-workspace.ts'

/**
 * After sign-in: makes what a new person needs and brings name, e-mail and picture up to date. Believes nothing but the
 * access token. Throws unauthorized when its signature or lifetime is not right.
 */
export async function completeSignIn({ db, accessTokens }: Deps, accessToken: string): Promise<User> {
  const claims = await accessTokens.verify(accessToken, { anyLevel: true })
  await resolveWorkspace(db.kysely, claims)
  await updateProfile(db.kysely, claims)
  return readProfile(db.kysely, claims.sub)
}
