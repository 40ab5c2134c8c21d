import { existsSync, readFileSync } from 'node:fs'
import { cp } from 'node:fs/promises'
import { join } from 'node:path'
import { exportJWK, generateKeyPair } from 'jose'
import pg from 'pg'
import { afterEach, beforeEach, describe, expect, inject, test } from 'vitest'
import { freePort } from './db/embedded.ts'
import { createSecrets } from './secrets/secrets.ts'
import { adminQuery, withDatabase } from './testing/databases.ts'
import { createTestDatabase } from './testing/harness.ts'
import { type ServerProcess, startServerProcess } from './testing/process.ts'
import { temporaryFolder } from './testing/temporary-folder.ts'

let dir: string
let running: ServerProcess[]
beforeEach(async () => {
  dir = temporaryFolder()
  running = []
})
afterEach(async () => {
  await Promise.all(running.map((server) => server.stop()))
})

const start = (env: NodeJS.ProcessEnv): ServerProcess => {
  const server = startServerProcess({ FINMETER_DATA_DIR: join(dir, 'data'), ...env })
  running.push(server)
  return server
}
const get = async (port: number, path: string) => (await fetch(`http://127.0.0.1:${port}${path}`)).status

describe('with the embedded database', () => {
  test('starts from nothing, says exactly one line, and starts again on the same data', async () => {
    const port = await freePort()
    const server = start({ PORT: String(port) })
    expect(await server.ready).toBe(`Finmeter ready at http://localhost:${port}`)
    expect(await get(port, '/readyz')).toBe(200)
    await server.stop()
    const { code, output } = await server.ended
    expect(code).toBe(0)
    expect(
      output
        .trim()
        .split('\n')
        .filter((line) => !line.includes('dist/web is missing')),
    ).toEqual([`Finmeter ready at http://localhost:${port}`])
    expect(existsSync(join(dir, 'data', 'postgres', 'postmaster.pid'))).toBe(false)
    await start({ PORT: String(port) }).ready
  })

  test('a second server on the same data directory reports it and exits, the first keeps running', async () => {
    const port = await freePort()
    await start({ PORT: String(port) }).ready
    const second = await start({ PORT: String(await freePort()) }).ended
    expect(second.code).toBe(1)
    expect(second.output).toContain('already runs on')
    expect(second.output).toContain('FINMETER_DATA_DIR')
    expect(await get(port, '/readyz')).toBe(200)
  })

  // Two starts and a recovery of the database: 6 seconds on an idle machine with two cores, 33 beside nine busy processes.
  test('after kill -9 the next start recovers by itself', { timeout: 240_000 }, async () => {
    const port = await freePort()
    const first = start({ PORT: String(port) })
    await first.ready
    first.child.kill('SIGKILL')
    await first.ended
    const database = Number(readFileSync(join(dir, 'data', 'postgres', 'postmaster.pid'), 'utf8').split('\n')[0])
    expect(database).toBeGreaterThan(0)
    await start({ PORT: String(port) }).ready
    expect(await get(port, '/readyz')).toBe(200)
  })
})

describe('refuses to start', () => {
  test('with a wrong value, before the port opens, naming it', async () => {
    const { code, output } = await start({ PORT: 'http' }).ended
    expect(code).toBe(1)
    expect(output).toContain('PORT is not valid: expected a number from 0 to 65535.')
    expect(existsSync(join(dir, 'data'))).toBe(false)
  })

  test('in production with nothing configured', async () => {
    const { code, output } = await start({ NODE_ENV: 'production' }).ended
    expect(code).toBe(1)
    for (const name of ['DATABASE_URL', 'KEYS_SECRET', 'PUBLIC_URL', 'sign-in provider']) expect(output).toContain(name)
  })

  test('in production with a secret that can be guessed, an open proxy setting and the sandbox, a sentence each', async () => {
    const { code, output } = await start({
      NODE_ENV: 'production',
      DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none',
      PUBLIC_URL: 'https://api.acme.dev',
      KEYS_SECRET: '0'.repeat(64),
      TRUST_PROXY: '0.0.0.0/0',
      SANDBOX: 'on',
      GITHUB_CLIENT_ID: 'id',
      GITHUB_CLIENT_SECRET: 'secret',
    }).ended
    expect(code).toBe(1)
    expect(output.trim().split('\n').sort()).toEqual([
      'Finmeter cannot start:',
      'KEYS_SECRET can be guessed, since its bytes are not random: make one with: openssl rand -hex 32.',
      'SANDBOX is on, and lets anyone sign in as anyone: remove it. A public trial runs without NODE_ENV=production.',
      'TRUST_PROXY trusts everyone, so anyone could choose the address that limits count: name only your own proxies.',
    ])
  })

  test('with another KEYS_SECRET than the database was encrypted with, also where it signs no tokens', async () => {
    const database = await createTestDatabase()
    try {
      const { privateKey } = await generateKeyPair('ES256', { extractable: true })
      const env = {
        DATABASE_URL: database.url,
        AUTH_JWT_KEYS: JSON.stringify([{ ...(await exportJWK(privateKey)), kid: 'own', key_ops: ['sign'] }]),
      }
      const encrypted = createSecrets('ef'.repeat(32)).encrypt('auth.signing_keys', '{}', 'kid')
      await database.db.pool.query('insert into auth.signing_keys (kid, private_jwk) values ($1, $2)', [
        'kid',
        encrypted,
      ])
      const port = String(await freePort())
      const { code, output } = await start({ ...env, PORT: port, KEYS_SECRET: 'cd'.repeat(32) }).ended
      expect(code).toBe(1)
      expect(output).toContain(
        'Finmeter cannot start: KEYS_SECRET is not the one that this database was encrypted with.',
      )
      await start({ ...env, PORT: port, KEYS_SECRET: 'ef'.repeat(32) }).ready
    } finally {
      await Promise.all(running.splice(0).map((server) => server.stop()))
      await database.drop()
    }
  })

  test('when a migration fails, with exit code 1', async () => {
    const name = `finmeter_broken_${Date.now()}`
    await adminQuery(inject('serverUrl'), `create database ${name}`)
    const url = withDatabase(inject('serverUrl'), name)
    const client = new pg.Client({ connectionString: url })
    await client.connect()
    await client.query('create table accounts (in_the_way int)')
    await client.end()
    try {
      const { code, output } = await start({ DATABASE_URL: url, PORT: String(await freePort()) }).ended
      expect(code).toBe(1)
      expect(output).toContain('Migration 0003_accounts failed')
    } finally {
      await adminQuery(inject('serverUrl'), `drop database ${name} with (force)`)
    }
  })

  test('when its port is taken', async () => {
    const database = await createTestDatabase()
    const port = await freePort()
    try {
      const env = { DATABASE_URL: database.url, PORT: String(port), KEYS_SECRET: 'ef'.repeat(32) }
      await start(env).ready
      const { code, output } = await start({ ...env, FINMETER_DATA_DIR: join(dir, 'other') }).ended
      expect(code).toBe(1)
      expect(output).toContain(`Finmeter cannot start: Port ${port} of 127.0.0.1 is in use.`)
    } finally {
      await Promise.all(running.splice(0).map((server) => server.stop()))
      await database.drop()
    }
  })

  test('when no database answers, naming its address and not its password', async () => {
    const port = await freePort()
    const { code, output } = await start({ DATABASE_URL: `postgres://me:hidden-word@127.0.0.1:${port}/none` }).ended
    expect(code).toBe(1)
    expect(output).toContain(
      `Finmeter cannot start: The database cannot be used: connect ECONNREFUSED 127.0.0.1:${port}`,
    )
    expect(output).not.toContain('hidden-word')
  })

  test('when the data directory is a file', async () => {
    const { code, output } = await start({ FINMETER_DATA_DIR: import.meta.filename }).ended
    expect(code).toBe(1)
    expect(output).toContain('FINMETER_DATA_DIR cannot be used as a folder')
  })

  test('within seconds, when the data directory cannot be created', async () => {
    const server = start({ FINMETER_DATA_DIR: '/proc/nope' })
    // A spinning process handles no signal.
    const spinning = setTimeout(() => server.child.kill('SIGKILL'), 120_000)
    const { code, output } = await server.ended
    clearTimeout(spinning)
    expect(code).toBe(1)
    expect(output).toContain('Finmeter cannot start: FINMETER_DATA_DIR cannot be used as a folder: ')
    expect(output).toContain('/proc/nope')
  })

  test('when the data directory was made under another database password', async () => {
    const port = await freePort()
    const first = start({ PORT: String(port) })
    await first.ready
    await first.stop()
    await cp(join(dir, 'data', 'postgres'), join(dir, 'copy', 'postgres'), { recursive: true })
    const { code, output } = await start({ PORT: String(port), FINMETER_DATA_DIR: join(dir, 'copy') }).ended
    expect(code).toBe(1)
    expect(output).toContain('password')
  })
})
