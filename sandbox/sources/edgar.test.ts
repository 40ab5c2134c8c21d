import { expect, test } from 'vitest'
import { startSandboxSources } from './start-sources.ts'

test('EDGAR counts the requests of a second for each sandbox, not for all that ran before', async () => {
  const [one, other] = await Promise.all([startSandboxSources(), startSandboxSources()])
  const ask = async ({ via }: typeof one) =>
    (
      await fetch(via('https://www.sec.gov/files/company_tickers.json'), {
        headers: { 'user-agent': 'Acme dev@acme.example' },
      })
    ).status
  let answers: number[] = []
  // A slow machine needs several attempts to be as fast as EDGAR forbids.
  while (!answers.includes(403)) answers = await Promise.all(Array.from({ length: 40 }, () => ask(one)))
  expect(await ask(other)).toBe(200)
  await Promise.all([one.close(), other.close()])
})
