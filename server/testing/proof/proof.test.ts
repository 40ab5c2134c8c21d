import { expect, test } from 'vitest'
import { runProof } from './run.ts'

test('two servers under load, everything fails once: every answer has its row, every row its charge, the invariants hold', async () => {
  const result = await runProof({ calls: 2_000, callers: 24, callsPerFault: 100, diskMegabytes: 700, say: () => {} })
  expect(result.differences).toEqual([])
  expect(result.sent).toBeGreaterThanOrEqual(2_000)
  expect(result.sentOverMcp).toBeGreaterThan(400)
  expect(result.charged).toBeGreaterThan(500)
  expect(result.replayed).toBeGreaterThan(50)
  expect(result.refused).toBeGreaterThan(0)
  expect(result.checks).toBeGreaterThanOrEqual(result.diskCouldBeFilled ? 11 : 10)
  expect(result.rows).toBe(result.credits)
}, 300_000)
