import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { loadConfig } from '../config/config.ts'
import { temporaryFolder } from '../testing/temporary-folder.ts'
import { createSecrets, localSecrets } from './secrets.ts'

const secrets = createSecrets('0f'.repeat(32))

test('decryption returns the text, and no two ciphertexts are alike', () => {
  const first = secrets.encrypt('api-key', 'fm_example', 'row-1')
  expect(secrets.decrypt('api-key', first, 'row-1')).toBe('fm_example')
  expect(secrets.encrypt('api-key', 'fm_example', 'row-1').equals(first)).toBe(false)
})

test('a ciphertext that was altered, moved to another row, purpose or root is refused', () => {
  const ciphertext = secrets.encrypt('api-key', 'fm_example', 'row-1')
  const altered = Buffer.from(ciphertext)
  altered[altered.length - 1]! ^= 1
  expect(() => secrets.decrypt('api-key', altered, 'row-1')).toThrow()
  expect(() => secrets.decrypt('api-key', ciphertext, 'row-2')).toThrow()
  expect(() => secrets.decrypt('mail_outbox.message', ciphertext, 'row-1')).toThrow()
  expect(() => createSecrets('1f'.repeat(32)).decrypt('api-key', ciphertext, 'row-1')).toThrow()
})

test('what the previous secret encrypted or signed is accepted, and everything new is of the present one', () => {
  const [old, both, fresh] = [
    createSecrets('0f'.repeat(32)),
    createSecrets('1f'.repeat(32), '0f'.repeat(32)),
    createSecrets('1f'.repeat(32)),
  ]
  const before = old.encrypt('api-key', 'fm_example', 'row-1')
  expect(both.decrypt('api-key', before, 'row-1')).toBe('fm_example')
  expect(() => both.decrypt('api-key', before, 'row-2')).toThrow()
  const renewed = both.renew('api-key', before, 'row-1')!
  expect(fresh.decrypt('api-key', renewed, 'row-1')).toBe('fm_example')
  expect(both.renew('api-key', renewed, 'row-1')).toBeNull()
  expect(() => fresh.renew('api-key', before, 'row-1')).toThrow()
  expect(fresh.decrypt('api-key', both.encrypt('api-key', 'later', 'row-1'), 'row-1')).toBe('later')

  const signed = old.mac('link', 'text')
  expect([both, fresh].map((secrets) => secrets.isMac('link', 'text', signed))).toEqual([true, false])
  expect(fresh.isMac('link', 'text', both.mac('link', 'text'))).toBe(true)
  expect(both.isMac('link', 'other', signed)).toBe(false)
  expect(both.isMac('link', 'text', signed.subarray(0, 31))).toBe(false)
})

test('development secrets are generated once and readable by their owner only', async () => {
  const dir = temporaryFolder()
  const config = loadConfig({ FINMETER_DATA_DIR: join(dir, 'data') })
  const made = localSecrets(config)
  expect(made.keysSecret).toMatch(/^[0-9a-f]{64}$/)
  expect(localSecrets(config)).toEqual(made)
  expect((await stat(join(dir, 'data', 'secrets.json'))).mode & 0o777).toBe(0o600)
})
