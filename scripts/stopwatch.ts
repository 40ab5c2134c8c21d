/**
 * npm run stopwatch: how long a newcomer takes from the home page to the receipt of a first call with their own key, without
 * leaving the browser. Machine time is measured. Reading time is counted from words, for two kinds of people: one reads only the
 * heading and the label of the button at each step, the other reads every word around the button.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Locator, Page } from '@playwright/test'
import { freePort } from '#server/db/embedded.ts'
import { startServerProcess } from '#server/testing/process.ts'
import { launch } from '../e2e/browser.ts'
import { buildWeb } from './build-web.ts'

/** Adults read 238 words of English a minute: Brysbaert, "How many words do we read per minute?", 2019. */
const WORDS_PER_MINUTE = 238

/** What to read, its heading, and what to press. */
const steps = (page: Page): { read: Locator; heading: Locator; press: string }[] => {
  const start = page.getByRole('region', { name: 'Get started' })
  return [
    { read: page.locator('main section').first(), heading: page.locator('h1'), press: 'Continue with GitHub' },
    { read: page.locator('body'), heading: page.locator('h1'), press: 'Allow' },
    { read: start, heading: start.locator('[aria-current=step]'), press: 'Redeem free plan' },
    { read: start, heading: start.locator('[aria-current=step]'), press: 'Run' },
  ]
}

await buildWeb()
const dir = await mkdtemp(join(tmpdir(), 'finmeter-stopwatch-'))
const port = await freePort()
const server = startServerProcess({ PORT: String(port), FINMETER_DATA_DIR: dir, NODE_ENV: 'development' })
await server.ready
const browser = await launch()
try {
  const page = await browser.newPage({ viewport: { width: 1280, height: 800 } })
  let machineMs = 0
  const words = { headings: 0, all: 0 }
  const count = (text: string) => text.trim().split(/\s+/).length
  const wait = async (act: () => Promise<unknown>) => {
    const startedAt = performance.now()
    await act()
    machineMs += performance.now() - startedAt
  }
  await wait(() => page.goto(`http://localhost:${port}/`))
  for (const { read, heading, press } of steps(page)) {
    const button = page.getByRole('button', { name: press, exact: true }).first()
    await wait(() => button.waitFor())
    words.headings += count(`${await heading.first().textContent()} ${press}`)
    // biome-ignore lint/performance/useDomNodeTextContent: only what is visible is read.
    words.all += count(await read.innerText())
    await wait(() => button.click())
  }
  const response = page.getByRole('region', { name: 'Get started' }).getByText(/^rcpt_/)
  await wait(() => response.waitFor())
  const seconds = (ms: number) => (ms / 1000).toFixed(1)
  const reading = (count: number) => `${seconds((count / WORDS_PER_MINUTE) * 60_000)} s for ${count} words`
  console.log(`From the home page to the first receipt: 4 presses, 2 of them after sign-in.
Machine: ${seconds(machineMs)} s. Reading headings and buttons: ${reading(words.headings)}; every word: ${reading(words.all)}.`)
} finally {
  await browser.close()
  await server.stop()
  await rm(dir, { recursive: true, force: true })
}
