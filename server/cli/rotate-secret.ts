import { rotateSecret } from '../features/operator/rotate-secret.ts'
import type { Connection } from './connect.ts'
import { print } from './print.ts'

/** npm run admin -- rotate-secret: a line for each kind of secret, then the sum. */
export async function rotateSecretCommand(connection: Connection): Promise<void> {
  if (!connection.config.KEYS_SECRET_PREVIOUS)
    throw new Error(
      'Set KEYS_SECRET to the new secret and KEYS_SECRET_PREVIOUS to the old one, here and on every server. See docs/operations.md.',
    )
  const counts = await rotateSecret(connection)
  for (const { what, present, previous, unreadable } of counts)
    if (present + previous + unreadable > 0)
      print(`${what}: ${previous} encrypted again${unreadable > 0 ? `, ${unreadable} unreadable` : ''}`)
  const unreadable = counts.reduce((sum, one) => sum + one.unreadable, 0)
  print(
    'Everything readable is encrypted under KEYS_SECRET. Keep KEYS_SECRET_PREVIOUS until npm run doctor says that it is no longer needed.',
  )
  if (unreadable > 0) print(`Neither secret opens ${unreadable} of them: they were left as they are.`)
}
