/**
 * npm run screenshots: every screen in both themes and two widths, empty, full, loading and failing, and those of the named shop
 * of examples/northwind-weather.ts, into screenshots/ (ignored by git). Arguments select screens by part of their name, which is `<state>-<screen>-<theme>-<width>`.
 */
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, type Page } from '@playwright/test'
import { connect } from '#server/cli/connect.ts'
import { freePort } from '#server/db/embedded.ts'
import { startNorthwind } from '#server/features/shop/testing/start-northwind.ts'
import { startServerProcess } from '#server/testing/process.ts'
import { launch } from '../e2e/browser.ts'
import { readMail } from '../e2e/mailbox.ts'
import { settled } from '../e2e/settled.ts'
import { signIn } from '../e2e/sign-in.ts'
import { buildWeb } from './build-web.ts'
import { fillDemoAccount } from './demo-account/fill.ts'
import { buyCredits, redeemFreePlan } from './demo-account/purchases.ts'
import { startDemoSession } from './demo-account/session.ts'
import { invite } from './demo-account/team.ts'
import { drawFont } from './pictures/draw-font.ts'

const target = 'screenshots'
const chosen = process.argv.slice(2)
const themes = ['light', 'dark'] as const
const widths = [360, 1280]

/** The playground's tabs, and what its chat says to a question that it understands and to one that it does not. */
const playgroundViews = ['answer', 'failed', 'servers', 'tools', 'settings'] as const

/** Requests for a screen's data, not for the page, its code or the sign-in. */
const productApi = ({ pathname }: URL) => /^\/(api\/(?!public)|billing\/)/.test(pathname)

const visitorScreens: Record<string, string> = {
  home: '/',
  login: '/login',
  'login-error': '/login?error=auth_failed',
  docs: '/docs/',
  pricing: '/docs/pricing',
  faq: '/docs/faq',
  demo: '/demo',
  guide: '/docs/getting-started',
  reference: '/docs/reference/get_bars',
  'error-code': '/docs/errors/insufficient_credits',
  terms: '/legal/terms',
  mailbox: '/sandbox/mail',
  invitation: '/invitation',
  'not-found': '/nowhere',
}
const memberScreens: Record<string, string> = {
  device: '/device',
  overview: '/dashboard',
  'api-keys': '/dashboard/api-keys',
  'api-keys-new': '/dashboard/api-keys/new',
  'api-key-missing': '/dashboard/api-keys/00000000-0000-4000-8000-000000000000',
  billing: '/dashboard/billing',
  invoices: '/dashboard/billing/invoices',
  playground: '/dashboard/playground',
  team: '/dashboard/settings/team',
  settings: '/dashboard/settings',
  security: '/dashboard/settings/security',
  'audit-log': '/dashboard/settings/audit-log',
  spreadsheets: '/dashboard/spreadsheets',
}
const namedScreens: Record<string, string> = {
  docs: '/docs/',
  reference: '/docs/reference/weather_get_forecast',
  playground: '/dashboard/playground',
  overview: '/dashboard',
  billing: '/dashboard/billing',
  invoices: '/dashboard/billing/invoices',
  'new-key': '/dashboard/api-keys/new',
}

let url = ''
await buildWeb()
await mkdir(target, { recursive: true })
if (['visitor', 'empty', 'full', 'loading', 'failing'].some(isWanted)) await shootDemonstration()
if (isWanted('named')) await shootNorthwind()

function namesOf(state: string): string[] {
  if (state === 'visitor') return Object.keys(visitorScreens)
  if (state === 'named') return ['home', 'mail', ...Object.keys(namedScreens)]
  const names = Object.keys(memberScreens)
  return state === 'full' ? [...names, 'api-key', ...playgroundViews.map((view) => `playground-${view}`)] : names
}

/** Whether pictures of this name, in one look or in any, were asked for. */
function isChosen(state: string, name: string, looks: string[]): boolean {
  return chosen.length === 0 || looks.some((look) => chosen.some((word) => `${state}-${name}-${look}`.includes(word)))
}

function isWanted(state: string): boolean {
  const looks = themes.flatMap((theme) => widths.map((width) => `${theme}-${width}`))
  return namesOf(state).some((name) => isChosen(state, name, looks))
}

async function shootDemonstration(): Promise<void> {
  const dataDir = await mkdtemp(join(tmpdir(), 'finmeter-screens-'))
  const port = String(await freePort())
  const env = { PORT: port, FINMETER_DATA_DIR: dataDir, NODE_ENV: 'development' }
  url = `http://localhost:${port}`
  const server = startServerProcess(env)
  try {
    await server.ready
    if (['full', 'loading', 'failing'].some(isWanted)) {
      const { db, close } = await connect(env)
      await fillDemoAccount(url, db, 'demo@example.com').finally(close)
    }
    for (const theme of themes)
      for (const width of widths) {
        await shoot(theme, width, 'visitor', null, visitorScreens)
        await shoot(theme, width, 'empty', `empty-${theme}-${width}@example.com`, memberScreens)
        await shoot(theme, width, 'full', 'demo@example.com', memberScreens)
        await shoot(theme, width, 'loading', 'demo@example.com', memberScreens)
        await shoot(theme, width, 'failing', 'demo@example.com', memberScreens)
      }
  } finally {
    await server.stop()
    await rm(dataDir, { recursive: true, force: true })
  }
}

/** A customer of a named shop who has bought credits, invited somebody and made a key. */
async function shootNorthwind(): Promise<void> {
  const dir = await mkdtemp(join(tmpdir(), 'finmeter-northwind-'))
  const namedPort = await freePort()
  url = `http://localhost:${namedPort}`
  const shop = startNorthwind(join(dir, 'northwind'), namedPort)
  try {
    await shop.open
    const owner = await startDemoSession(url, 'ada@northwind.example')
    await redeemFreePlan(owner)
    await buyCredits(url, owner)
    await invite(owner, 'bob@northwind.example', 'member')
    const { id } = await readMail(url, 'bob@northwind.example')
    const screens = { ...namedScreens, mail: `/sandbox/mail/${id}` }
    for (const theme of themes)
      for (const width of widths) {
        await shoot(theme, width, 'named', null, { home: '/' })
        await shoot(theme, width, 'named', owner.email, screens)
      }
  } finally {
    await shop.stop()
    await rm(dir, { recursive: true, force: true })
  }
}

/**
 * A separate browser per set: the one from npm runs as a single process and slows down after hundreds of full-page
 * screenshots.
 */
async function shoot(
  colorScheme: 'light' | 'dark',
  width: number,
  state: string,
  email: string | null,
  screens: Record<string, string>,
): Promise<void> {
  const isHere = (name: string) => isChosen(state, name, [`${colorScheme}-${width}`])
  const wanted = Object.entries(screens).filter(([name]) => isHere(name))
  const isToured =
    state === 'full' && (isHere('api-key') || playgroundViews.some((view) => isHere(`playground-${view}`)))
  if (wanted.length === 0 && !isToured) return
  const browser = await launch()
  const context = await browser.newContext({
    baseURL: url,
    colorScheme,
    viewport: { width, height: 800 },
    reducedMotion: 'reduce',
  })
  await drawFont(context)
  const page = await context.newPage()
  if (email) await signIn(page, url, email)
  if (state === 'failing') await context.route(productApi, (route) => route.fulfill({ status: 500, json: {} }))
  if (state === 'loading') await context.route(productApi, () => undefined)
  for (const [name, path] of wanted) await picture(page, path, `${state}-${name}-${colorScheme}-${width}.png`, state)
  if (isToured) {
    await page.goto(`${url}/dashboard/api-keys`)
    const key = page.getByRole('row').nth(1).getByRole('link').first()
    const path = await key.getAttribute('href')
    if (path) await picture(page, path, `${state}-api-key-${colorScheme}-${width}.png`, state)
    await playground(page, `${colorScheme}-${width}`)
  }
  await browser.close()
}

async function picture(page: Page, path: string, file: string, state: string): Promise<void> {
  const answer = await page.goto(url + path)
  const type = answer?.headers()['content-type'] ?? 'nothing'
  if (!type.startsWith('text/html')) throw new Error(`${path} answers ${type}, which is no page.`)
  // Requests that are never answered keep the network busy forever.
  await (state === 'loading' ? page.waitForTimeout(1500) : page.waitForLoadState('networkidle'))
  // A failed request is tried again twice before the page says so.
  if (state === 'failing') await settled(page)
  if (file.startsWith('named-new-key')) {
    await page.getByRole('textbox', { name: 'Key Name' }).fill('Station')
    await page.getByRole('button', { name: 'Create API Key' }).click()
    await page.getByText('Your new key').waitFor()
  }
  // Pictures far below the window are loaded when somebody scrolls to them.
  await page.evaluate(() => {
    for (const image of document.images) image.loading = 'eager'
    return Promise.all([
      document.fonts.ready,
      ...[...document.images].map((image) => image.decode().catch(() => undefined)),
    ])
  })
  await page.screenshot({ path: join(target, file), fullPage: true })
  console.log(file)
}

async function playground(page: Page, look: string): Promise<void> {
  const picture = async (name: string) =>
    page.screenshot({ path: join(target, `full-playground-${name}-${look}.png`), fullPage: true })
  await page.goto(`${url}/dashboard/playground`)
  const message = page.getByRole('textbox', { name: 'Message' })
  for (const [index, text] of ['gold', 'oil since 2022'].entries()) {
    await message.fill(text)
    await message.press('Enter')
    await expect(page.locator('figure polyline')).toHaveCount(index + 1)
  }
  await picture('answer')
  await message.fill('colorless green ideas')
  await message.press('Enter')
  await page.getByText('I did not recognize that.').waitFor()
  await picture('failed')
  const menu = page.getByRole('button', { name: 'Open playground menu' })
  for (const tab of ['Servers', 'Tools', 'Settings']) {
    if (await menu.isVisible()) await menu.click()
    await page.getByRole('button', { name: tab, exact: true }).last().click()
    await expect(page.getByRole('heading', { name: tab, level: 2 })).toBeVisible()
    await picture(tab.toLowerCase())
  }
}
