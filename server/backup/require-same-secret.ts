import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Config } from '../config/config.ts'
import { createSecrets, localSecrets } from '../secrets/secrets.ts'
import { fingerprint, type Manifest } from './manifest.ts'

/**
 * Throws a sentence unless KEYS_SECRET, or the previous one, is that of the backup. Unlike a first start, it creates no
 * secret.
 */
export function requireSameSecret(config: Config, manifest: Manifest): void {
  const kept = existsSync(join(config.FINMETER_DATA_DIR, 'secrets.json'))
  const present = config.KEYS_SECRET ?? (kept ? localSecrets(config).keysSecret : undefined)
  const given = [present, config.KEYS_SECRET_PREVIOUS].filter((secret) => secret !== undefined)
  if (given.some((secret) => fingerprint(createSecrets(secret)) === manifest.keysSecret)) return
  throw new Error(
    `${given.length > 0 ? 'KEYS_SECRET is not that of the backup' : 'KEYS_SECRET is not set'}: set it to that of the installation that was backed up${config.production ? '' : ', or copy its secrets.json into FINMETER_DATA_DIR'}.`,
  )
}
