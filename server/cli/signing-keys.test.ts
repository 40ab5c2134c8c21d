import { exportJWK, generateKeyPair } from 'jose'
import { expect, test } from 'vitest'
import { startAuthServer } from '../features/auth/testing/auth-server.ts'
import { call } from '../features/auth/testing/call.ts'
import { createAccessTokens } from '../features/auth/tokens/access-tokens.ts'
import { createSecrets } from '../secrets/secrets.ts'
import { closeAfterTests } from '../testing/close-after-tests.ts'
import { runAdmin } from '../testing/run-admin.ts'

const server = await closeAfterTests(startAuthServer())

const admin = (...words: string[]) => runAdmin(server.databaseUrl, words, { PUBLIC_URL: server.url })
/** An instance that starts now: one that runs reads the keys again within a minute. */
const started = () =>
  createAccessTokens({
    config: server.config,
    db: server.db,
    secrets: createSecrets('ab'.repeat(32)),
    log: undefined as never,
  })
const keys = (out: string) =>
  out
    .trimEnd()
    .split('\n')
    .map((line) => {
      const [kid, state, , since] = line.split(/ +/)
      return { kid: kid!, state, since: Date.parse(since!) }
    })
const events = async () =>
  (await server.db.pool.query("select actor, action, target from audit_log where action like 'auth.%key%' order by id"))
    .rows

test('service-key prints a key for the admin calls alone on its last line, and the act is on record', async () => {
  const { code, out } = await admin('service-key')
  expect(code).toBe(0)
  const [about, key, ...more] = out.trimEnd().split('\n')
  expect([about, more]).toEqual(['Valid until the signing key that made it is retired:', []])
  expect((await call(server, 'GET', '/admin/users', { token: key! })).status).toBe(200)
  // It is nobody.
  expect((await call(server, 'GET', '/user', { token: key! })).body.code).toBe('bad_jwt')
  const [only] = keys((await admin('signing-keys')).out)
  expect(await events()).toEqual([{ actor: 'system:operator', action: 'auth.service_key_made', target: only!.kid }])
  expect(JSON.stringify(await events())).not.toContain(key)
})

test('signing-keys: rotate publishes a key that signs 20 minutes later, retire withdraws the old one and what it signed', async () => {
  const [old] = keys((await admin('signing-keys')).out)
  expect(old).toMatchObject({ state: 'signs' })
  const signedByOld = (await admin('service-key')).out.trimEnd().split('\n').at(-1)!

  const rotated = keys((await admin('signing-keys', 'rotate')).out)
  expect(rotated.map(({ state }) => state)).toEqual(['verifies', 'signs'])
  const fresh = rotated[0]!
  const { rows } = await server.db.pool.query('select extract(epoch from app_now()) * 1000 as now')
  expect(fresh.since - Number(rows[0].now)).toBeGreaterThan(10 * 60_000)
  expect(fresh.since - Number(rows[0].now)).toBeLessThanOrEqual(20 * 60_000)
  expect((await (await started()).jwks()).keys.map(({ kid }) => kid)).toEqual([fresh.kid, old!.kid])
  const early = await admin('signing-keys', 'retire', old!.kid)
  expect([early.code, early.err]).toEqual([
    1,
    'This key signs now. Rotate first, and retire it once the new key has come into force.\n',
  ])

  await server.moveClock('21 minutes')
  expect(keys((await admin('signing-keys')).out).map(({ kid, state }) => [kid, state])).toEqual([
    [fresh.kid, 'signs'],
    [old!.kid, 'verifies'],
  ])
  await expect((await started()).parse(signedByOld)).resolves.toMatchObject({ role: 'service_role' })
  const retired = await admin('signing-keys', 'retire', old!.kid)
  expect(keys(retired.out).map(({ kid, state }) => [kid, state])).toEqual([[fresh.kid, 'signs']])
  await expect((await started()).parse(signedByOld)).rejects.toThrow()
  const signedByNew = (await admin('service-key')).out.trimEnd().split('\n').at(-1)!
  await expect((await started()).parse(signedByNew)).resolves.toMatchObject({ role: 'service_role' })
  expect((await events()).slice(1).map(({ action, target }) => [action, target])).toEqual([
    ['auth.service_key_made', old!.kid],
    ['auth.signing_key_added', fresh.kid],
    ['auth.signing_key_retired', old!.kid],
    ['auth.service_key_made', fresh.kid],
  ])
})

test('signing-keys: a key that is not there, a wrong word and keys of the environment are sentences', async () => {
  const missing = await admin('signing-keys', 'retire', 'nothing')
  expect([missing.code, missing.err]).toEqual([1, 'There is no signing key nothing.\n'])
  const wrong = await admin('signing-keys', 'explode')
  expect([wrong.code, wrong.err]).toEqual([1, 'npm run admin -- signing-keys [rotate | retire <kid>]\n'])
  const { privateKey } = await generateKeyPair('ES256', { extractable: true })
  const AUTH_JWT_KEYS = JSON.stringify([{ ...(await exportJWK(privateKey)), kid: 'own', key_ops: ['sign'] }])
  const own = await runAdmin(server.databaseUrl, ['signing-keys'], { AUTH_JWT_KEYS })
  expect([own.code, own.err]).toEqual([1, 'The keys are in AUTH_JWT_KEYS: change them there.\n'])
})
