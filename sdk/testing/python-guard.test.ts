import { execFile, spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { startDoorServer } from '#server/features/meter-door/testing/door-server.ts'
import { closeAfterTests } from '#server/testing/close-after-tests.ts'

const run = promisify(execFile)
const folder = join(import.meta.dirname, '../python')
/** `SDK_PYTHON` names another interpreter. */
const python = process.env.SDK_PYTHON ?? '/usr/bin/python3'
const has = (...modules: string[]) => spawnSync(python, ['-c', `import ${modules.join(', ')}`]).status === 0

test.skipIf(!has('httpx', 'pytest'))('the Python guards against the product', { timeout: 300_000 }, async () => {
  const server = await closeAfterTests(startDoorServer())
  const names = ['price', 'failing', 'repeating', 'decorated'] as const
  const keys = await Promise.all(
    names.map(async (name) => [name, await server.key({ credits: 100, prefix: 'wxyz_' })] as const),
  )
  const values = Object.fromEntries(keys.map(([name, { value }]) => [name, value]))
  const { stdout } = await run(python, ['-m', 'pytest', '-q', '-p', 'no:cacheprovider', 'guard_tests'], {
    cwd: folder,
    env: {
      PATH: process.env.PATH,
      PYTHONDONTWRITEBYTECODE: '1',
      FINMETER_URL: server.url,
      FINMETER_SERVICE_KEY: server.serviceKeys.acme,
      FINMETER_KEYS: JSON.stringify({
        ...values,
        empty: (await server.key()).value,
        limited: (await server.key({ credits: 10, rateLimit: 1 })).value,
      }),
    },
  }).catch((error: { stdout: string }) => ({ stdout: `FAILED ${error.stdout}` }))
  expect(stdout).toMatch(/^(?!FAILED)[\s\S]*\d+ passed/)
  const spent = await Promise.all(keys.map(([, { accountId }]) => server.spending(accountId)))
  expect(spent).toEqual([
    { rows: 4, failedRows: 0, credits: 13 },
    { rows: 1, failedRows: 1, credits: 0 },
    { rows: 3, failedRows: 0, credits: 9 },
    { rows: 2, failedRows: 1, credits: 2 },
  ])
  const { rows } = await server.db.pool.query('select count(*)::int as open from credit_holds')
  expect(rows[0].open).toBe(0)
  expect(await server.invariants()).toEqual([])
})
