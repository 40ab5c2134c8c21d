import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { type EarlyReads, fetchEarly } from './early-reads.ts'

const origin = 'https://finmeter.example'
const early = new Response('early')
const late = new Response('late')

beforeEach(() => {
  vi.stubGlobal('earlyReads', {
    authorization: 'Bearer mine',
    answers: { '/api/keys?page=2': { workspace: null, answer: Promise.resolve(early) } },
  } satisfies EarlyReads)
  vi.stubGlobal('location', { origin })
  vi.stubGlobal('fetch', async () => late)
  vi.spyOn(performance, 'now').mockReturnValue(2000)
})
afterEach(() => {
  vi.unstubAllGlobals()
  vi.restoreAllMocks()
})

const ask = (path = '/api/keys?page=2', headers = {}, method = 'GET') =>
  fetchEarly(new Request(new URL(path, origin), { method, headers: { authorization: 'Bearer mine', ...headers } }))

test('an early read serves the first identical request, and no other', async () => {
  expect(await ask()).toBe(early)
  expect(await ask()).toBe(late)
})

test.each([
  ['another query', () => ask('/api/keys?page=3')],
  ['another method', () => ask(undefined, {}, 'DELETE')],
  ['another session', () => ask(undefined, { authorization: 'Bearer yours' })],
  ['another workspace', () => ask(undefined, { 'x-workspace-id': 'w-1' })],
  ['another origin', () => ask('https://elsewhere.example/api/keys?page=2')],
])('%s goes to the server', async (_name, asked) => {
  expect(await asked()).toBe(late)
  expect(await ask()).toBe(early)
})

test('an early read expires after ten seconds', async () => {
  vi.mocked(performance.now).mockReturnValue(10_001)
  expect(await ask()).toBe(late)
})

test('without early reads requests go to the server', async () => {
  vi.stubGlobal('earlyReads', undefined)
  expect(await ask()).toBe(late)
})
