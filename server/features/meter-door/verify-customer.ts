import type { Deps } from '../../deps.ts'
import { AppError } from '../../http/errors.ts'
import { allow, chooseKey, type Presented, type Surface } from '../keys/credentials.ts'
import type { VerifiedKey } from '../keys/verify.ts'

/**
 * The key of the customer in front of a gateway or service, with its scopes and networks. Throws key_missing, key_invalid,
 * forbidden. The demo key has no account, so it opens nothing here.
 */
export async function verifyCustomer(
  { keys }: Pick<Deps, 'keys'>,
  given: Presented,
  surface: Surface = 'rest',
): Promise<VerifiedKey> {
  const key = chooseKey(given)
  if (key === undefined) throw new AppError('key_missing')
  return allow(keys, await keys.verify(key), given, surface)
}
