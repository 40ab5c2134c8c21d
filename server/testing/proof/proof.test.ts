import { expect, test } from 'vitest'
import { runProof } from './run.ts'

test('two servers and an upstream under load, everything fails once: every answer has its row, every row its charge, no hold is left', async () => {
  const result = await runProof({ calls: 2_000, callers: 24, callsPerFault: 100, diskMegabytes: 700, say: () => {} })
  // As text: CI prints only the first line of a failure.
  expect(result.differences.join('; ')).toBe('')
  expect(result.sent).toBeGreaterThanOrEqual(2_000)
  expect(result.sentOverMcp).toBeGreaterThan(400)
  expect(result.charged).toBeGreaterThan(500)
  expect(result.replayed).toBeGreaterThan(50)
  expect(result.refused).toBeGreaterThan(0)
  expect(result.sentToUpstream).toBeGreaterThan(100)
  expect(result.sentToMeterDoor).toBeGreaterThan(100)
  expect(result.upstreamFailed).toBeGreaterThan(0)
  expect(result.orders).toBeGreaterThan(0)
  expect(result.streamsRead).toBeGreaterThan(0)
  expect(result.streamsLeft).toBeGreaterThan(0)
  expect(result.streamsCut).toBeGreaterThan(0)
  expect(result.settled).toBeGreaterThan(0)
  expect(result.released).toBeGreaterThan(0)
  expect(result.expired).toBeGreaterThan(0)
  expect(result.checks).toBeGreaterThanOrEqual(result.diskCouldBeFilled ? 17 : 16)
  expect(result.credits).toBeGreaterThan(result.rows)
}, 600_000)
