import { requireSecret, WrongSecret } from '../../config/require-secret.ts'
import { countSealed, lastRotation } from '../../features/operator/rotate-secret.ts'
import type { Connection } from '../connect.ts'
import type { Report } from './report.ts'

/** Whether the secrets open what the database holds, and whether the previous one is still needed. */
export async function checkSecret(connection: Omit<Connection, 'databaseUrl'>, report: Report): Promise<void> {
  try {
    await requireSecret(connection.db, connection.secrets)
  } catch (error) {
    if (error instanceof WrongSecret) return report.wrong(error.message)
    throw error
  }
  report.ok('KEYS_SECRET opens what this database has encrypted')
  if (!connection.config.KEYS_SECRET_PREVIOUS) return
  const left = (await countSealed(connection)).filter(({ previous }) => previous > 0)
  const { at, linksUntil } = await lastRotation(connection)
  if (left.length > 0)
    report.note(
      `KEYS_SECRET_PREVIOUS is still needed (${left.map(({ what, previous }) => `${what}: ${previous}`).join(', ')}): run npm run admin -- rotate-secret`,
    )
  else if (!at)
    report.note(
      'KEYS_SECRET_PREVIOUS opens nothing here: once it is the old secret on every server, run npm run admin -- rotate-secret',
    )
  else if (linksUntil)
    report.note(
      `KEYS_SECRET_PREVIOUS is still needed until ${linksUntil.toISOString()}, for links that were sent before`,
    )
  else report.note('KEYS_SECRET_PREVIOUS is no longer needed: remove it from every server')
}
