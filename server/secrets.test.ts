import { mkdtemp, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { loadConfig } from './config.ts'
import { createSecrets, localSecrets } from './secrets.ts'

const secrets = createSecrets('0f'.repeat(32))

test('decryption returns the text, and no two ciphertexts are alike', () => {
  const first = secrets.encrypt('keys', 'fm_example', 'row-1')
  expect(secrets.decrypt('keys', first, 'row-1')).toBe('fm_example')
  expect(secrets.encrypt('keys', 'fm_example', 'row-1').equals(first)).toBe(false)
})

test('a ciphertext that was altered, moved to another row, purpose or root is refused', () => {
  const ciphertext = secrets.encrypt('keys', 'fm_example', 'row-1')
  const altered = Buffer.from(ciphertext)
  altered[altered.length - 1]! ^= 1
  expect(() => secrets.decrypt('keys', altered, 'row-1')).toThrow()
  expect(() => secrets.decrypt('keys', ciphertext, 'row-2')).toThrow()
  expect(() => secrets.decrypt('mail', ciphertext, 'row-1')).toThrow()
  expect(() => createSecrets('1f'.repeat(32)).decrypt('keys', ciphertext, 'row-1')).toThrow()
})

test('development secrets are generated once and readable by their owner only', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'finmeter-secrets-'))
  try {
    const config = loadConfig({ FINMETER_DATA_DIR: join(dir, 'data') })
    const made = localSecrets(config)
    expect(made.keysSecret).toMatch(/^[0-9a-f]{64}$/)
    expect(localSecrets(config)).toEqual(made)
    expect((await stat(join(dir, 'data', 'secrets.json'))).mode & 0o777).toBe(0o600)
  } finally {
    await rm(dir, { recursive: true })
  }
})
