import { readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createSecrets } from '../secrets/secrets.ts'
import { testConfig } from '../testing/harness.ts'
import { temporaryFolder } from '../testing/temporary-folder.ts'
import { fingerprint, type Manifest } from './manifest.ts'
import { requireSameSecret } from './require-same-secret.ts'

const dir = temporaryFolder()
const [right, other] = ['5e'.repeat(32), 'c7'.repeat(32)]
const manifest = { keysSecret: fingerprint(createSecrets(right)) } as Manifest
const check = (env: NodeJS.ProcessEnv) =>
  requireSameSecret(testConfig('postgres://none', 0, { KEYS_SECRET: '', FINMETER_DATA_DIR: dir, ...env }), manifest)

test('the secret of the backup passes, also as the previous one; a fingerprint is no secret', () => {
  check({ KEYS_SECRET: right })
  check({ KEYS_SECRET: other, KEYS_SECRET_PREVIOUS: right })
  expect(manifest.keysSecret).toMatch(/^[0-9a-f]{16}$/)
})

test('any other is refused, and none is made', () => {
  expect(() => check({ KEYS_SECRET: other })).toThrow(
    'KEYS_SECRET is not that of the backup: set it to that of the installation that was backed up, or copy its secrets.json into FINMETER_DATA_DIR.',
  )
  expect(() => check({})).toThrow('KEYS_SECRET is not set: set it to that of')
  expect(readdirSync(dir)).toEqual([])
})

test('on a laptop, the one in secrets.json counts', () => {
  writeFileSync(join(dir, 'secrets.json'), JSON.stringify({ keysSecret: right, databasePassword: 'x' }))
  check({})
})
