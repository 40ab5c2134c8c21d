import { writeFileSync } from 'node:fs'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestServer, type TestServer } from '../../harness.ts'
import { proveImperfect } from './prove.ts'
import { type ImperfectUpstreams, startImperfectUpstreams } from './upstreams.ts'

let server: TestServer
let upstreams: ImperfectUpstreams
beforeAll(async () => {
  upstreams = await startImperfectUpstreams()
  server = await startTestServer()
})
afterAll(async () => {
  await server?.close()
  upstreams?.close()
})

test('before imperfect upstreams, what is delivered is paid and what fails is free, by both doors', async () => {
  const calls = Number(process.env.IMPERFECT_CALLS ?? 600)
  const proof = await proveImperfect(server, upstreams, { calls, seed: Number(process.env.PROPERTY_SEED || 1) })
  const { IMPERFECT_REPORT: report } = process.env
  if (report) writeFileSync(report, JSON.stringify(proof))
  expect(proof.differences).toEqual([])
  expect(proof.calls).toBeGreaterThanOrEqual(calls)
  for (const count of [proof.overMcp, proof.streams, proof.ofMcpServer, proof.delivered, proof.failed])
    expect(count).toBeGreaterThan(calls / 10)
}, 900_000)
