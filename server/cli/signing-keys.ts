import { listSigningKeys, retireSigningKey, rotateSigningKey } from '../features/auth/tokens/signing-keys.ts'
import type { Connection } from './connect.ts'
import { print } from './print.ts'

/** npm run admin -- signing-keys [rotate | retire <kid>]: always ends with the list. */
export async function manageSigningKeys({ config, db, secrets }: Connection, words: string[]): Promise<void> {
  const [verb, kid] = words
  if (config.AUTH_JWT_KEYS) throw new Error('The keys are in AUTH_JWT_KEYS: change them there.')
  if (verb === 'rotate') await rotateSigningKey(db, secrets)
  else if (verb === 'retire' && kid) await retireSigningKey(db, kid)
  else if (verb !== undefined) throw new Error('npm run admin -- signing-keys [rotate | retire <kid>]')
  for (const key of await listSigningKeys(db))
    print(`${key.kid}  ${key.signs ? 'signs' : 'verifies'}  since ${key.signsFrom.toISOString()}`)
}
