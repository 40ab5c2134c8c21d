/**
 * npm run pictures: takes the pictures of README and of the home page from the running product: Overview of the
 * demonstration account in both themes, the playground, and the film of the first minute.
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Browser, Page } from '@playwright/test'
import { connect } from '#server/cli/connect.ts'
import { startServerProcess } from '#server/testing/process.ts'
import { launch } from '../e2e/browser.ts'
import { continueAs, signIn } from '../e2e/sign-in.ts'
import { buildWeb } from './build-web.ts'
import { fillDemoAccount } from './demo-account/fill.ts'
import { drawFont } from './pictures/draw-font.ts'
import { film, showMouse } from './pictures/film.ts'
import { picturesAreNew } from './pictures/inputs.ts'

const width = 1200
const height = 750
const themes = ['light', 'dark'] as const

await buildWeb()
const dataDir = await mkdtemp(join(tmpdir(), 'finmeter-pictures-'))
// As README says.
const port = '3000'
const env = { PORT: port, FINMETER_DATA_DIR: dataDir, NODE_ENV: 'development' }
const url = `http://localhost:${port}`
const server = startServerProcess(env)
const browser = await launch()
try {
  await server.ready
  const { db, close } = await connect(env)
  await fillDemoAccount(url, db, 'demo@example.com').finally(close)
  for (const theme of themes) {
    const page = await open(browser, theme)
    await signIn(page, url, 'demo@example.com')
    await page.waitForLoadState('networkidle')
    await take(page, `web/features/home/overview-${theme}.webp`)
    if (theme === 'light') await takePlayground(page)
    await page.context().close()
  }
  await takeFirstMinute(await open(browser, 'light', true))
  picturesAreNew()
} finally {
  await browser.close()
  await server.stop()
  await rm(dataDir, { recursive: true, force: true })
}

async function open(of: Browser, colorScheme: 'light' | 'dark', withNotice = false): Promise<Page> {
  const context = await of.newContext({ colorScheme, viewport: { width, height } })
  // A limit, not a pace: the machine may be busy.
  context.setDefaultTimeout(120_000)
  await drawFont(context)
  // The film shows what `npm start` does. In pictures of a screen, the sandbox's notice is not part of the product.
  if (!withNotice)
    await context.addInitScript(() => {
      const style = document.createElement('style')
      style.textContent = '[aria-label="Sandbox"]{display:none!important}'
      addEventListener('DOMContentLoaded', () => document.head.append(style))
    })
  return context.newPage()
}

async function take(page: Page, path: string): Promise<void> {
  const session = await page.context().newCDPSession(page)
  const { data } = await session.send('Page.captureScreenshot', { format: 'webp', quality: 80 })
  await save(path, Buffer.from(data, 'base64'))
}

async function save(path: string, bytes: Buffer): Promise<void> {
  await writeFile(path, bytes)
  console.log(`${path}: ${Math.round(bytes.length / 1024)} KiB`)
}

async function takePlayground(page: Page): Promise<void> {
  await page.goto(`${url}/dashboard/playground`)
  const message = page.getByRole('textbox', { name: 'Message' })
  await message.fill('oil since 2022')
  await message.press('Enter')
  await page.locator('figure polyline').first().waitFor()
  await page.waitForLoadState('networkidle')
  await take(page, 'docs/images/playground.webp')
}

/** From the home page to a new user's first call. */
async function takeFirstMinute(page: Page): Promise<void> {
  const press = async (name: string | RegExp, pauseMs: number) => {
    const button = page.getByRole('button', { name, exact: typeof name === 'string' }).first()
    await button.hover()
    await page.waitForTimeout(450)
    await button.click()
    await page.waitForTimeout(pauseMs)
  }
  await showMouse(page)
  await page.goto(url)
  const bytes = await film(page, width, height, async () => {
    await page.waitForTimeout(600)
    await press('Run', 1200)
    await page.getByRole('button', { name: 'Continue with GitHub' }).first().hover()
    await page.waitForTimeout(400)
    await continueAs(page, 'first@example.com')
    await page.getByRole('button', { name: 'Redeem free plan' }).waitFor()
    await page.waitForTimeout(600)
    await press('Redeem free plan', 1000)
    await press('Run', 2500)
  })
  await save('docs/images/first-minute.webp', bytes)
  await check(page, bytes)
}

/** The browser must be able to decode every frame. */
async function check(page: Page, bytes: Buffer): Promise<void> {
  const frames = await page.evaluate(async (base64) => {
    const data = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0))
    const decoder = new ImageDecoder({ data, type: 'image/webp' })
    await decoder.tracks.ready
    await decoder.completed
    const count = decoder.tracks.selectedTrack?.frameCount ?? 0
    for (let frameIndex = 0; frameIndex < count; frameIndex += 1) (await decoder.decode({ frameIndex })).image.close()
    return count
  }, bytes.toString('base64'))
  if (frames < 2) throw new Error(`The film has ${frames} pictures.`)
  console.log(`${frames} pictures`)
}
