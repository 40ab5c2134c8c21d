import { join } from 'node:path'
import { expect, test } from 'vitest'
import { temporaryFolder } from '#server/testing/temporary-folder.ts'
import packageJson from '../../package.json' with { type: 'json' }
import { makeNext } from './check-out.ts'
import { runUpgrade } from './run-upgrade.ts'

test('a next release that only adds is rolled out under load: no call is lost, and everything is exact', async () => {
  const dir = temporaryFolder()
  const folder = join(dir, 'release')
  const old = { folder: join(import.meta.dirname, '../..'), version: packageJson.version }
  const result = await runUpgrade(
    old,
    { folder, version: makeNext(folder) },
    { callers: 8, callsPerStep: 300, say() {} },
  )
  expect(result.steps.map(({ failed }) => failed)).toEqual([null, null, null, null, null])
  expect(result.steps[3]?.name).toBe(`${packageJson.version} is restarted on the new database`)
  expect(result.differences).toEqual([])
  expect(result.rows).toBe(result.credits)
  expect(result.rows).toBeGreaterThan(1_000)
}, 300_000)
