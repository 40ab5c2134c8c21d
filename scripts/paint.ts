/**
 * Measures paint times of the built product in a real browser and prints a Markdown table: first and largest contentful
 * paint, layout shift, blocking time and the response to one press, for a throttled phone and a desktop. On a dashboard
 * page the first paint is the frame, which is in the HTML; content is the first button that a new account can press in it. `--runs=5`; `--docs`
 * writes the table to docs/performance.md. Compare only runs on the same machine.
 */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { cpus, loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Browser, Page } from '@playwright/test'
import { freePort } from '#server/db/embedded.ts'
import { startServerProcess } from '#server/testing/process.ts'
import { launch } from '../e2e/browser.ts'
import { signIn } from '../e2e/sign-in.ts'
import { buildWeb } from './build-web.ts'

interface Profile {
  name: 'phone' | 'desktop'
  width: number
  cpu: number
  mbitPerSecond: number
  latencyMs: number
}

const profiles: Profile[] = [
  { name: 'phone', width: 360, cpu: 4, mbitPerSecond: 1.6, latencyMs: 150 },
  { name: 'desktop', width: 1280, cpu: 1, mbitPerSecond: 10, latencyMs: 40 },
]

/** `click`: the element to press when measuring interaction. */
const routes = [
  { name: 'home', path: '/', signedIn: false, click: 'button:has-text("Copy")' },
  { name: 'pricing', path: '/docs/pricing', signedIn: false, click: 'button:has-text("Annual")' },
  { name: 'FAQ', path: '/docs/faq', signedIn: false, click: 'summary' },
  { name: 'a guide', path: '/docs/getting-started', signedIn: false, click: 'button[data-search-open]' },
  { name: 'Overview', path: '/dashboard', signedIn: true, click: 'button[aria-label="Account menu"]' },
  { name: 'Billing', path: '/dashboard/billing', signedIn: true, click: 'button:has-text("Annual")' },
]

interface Figures {
  fcpMs: number
  lcpMs: number
  /** When the first button in a dashboard page's content was painted; 0 on other pages. */
  contentMs: number
  cls: number
  tbtMs: number
  clickMs: number
}

await buildWeb()
const runs = Number(/--runs=(\d+)/.exec(process.argv.join(' '))?.[1] ?? 5)
const dir = await mkdtemp(join(tmpdir(), 'finmeter-paint-'))
const port = await freePort()
const url = `http://localhost:${port}`
const server = startServerProcess({ PORT: String(port), FINMETER_DATA_DIR: dir, NODE_ENV: 'development' })
await server.ready
const browser = await launch()
const loadBefore = loadavg()[0]!
const table: string[] = []
const print = (line: string) => {
  table.push(line)
  console.log(line)
}
try {
  print('| Page | Profile | First paint ms | LCP ms (worst) | Content ms (worst) | CLS | Blocking ms | Press ms |')
  print('| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: |')
  const session = await signedInState(browser)
  for (const profile of profiles)
    for (const route of routes) {
      const all: Figures[] = []
      // The first run fills the server's caches and does not count.
      for (let run = 0; run <= runs; run++) {
        const figures = await measure(browser, profile, route, route.signedIn ? session : undefined)
        if (run > 0) all.push(figures)
      }
      const of = (name: keyof Figures) => all.map((figures) => figures[name]).sort((a, b) => a - b)
      const median = (name: keyof Figures) => of(name)[Math.floor(runs / 2)] ?? Number.NaN
      print(
        `| ${route.name} | ${profile.name} | ${Math.round(median('fcpMs'))} | ${Math.round(median('lcpMs'))} (${Math.round(of('lcpMs').at(-1) ?? Number.NaN)}) | ${route.signedIn ? `${Math.round(median('contentMs'))} (${Math.round(of('contentMs').at(-1) ?? Number.NaN)})` : ''} | ${median('cls').toFixed(3)} | ${Math.round(median('tbtMs'))} | ${Math.round(median('clickMs'))} |`,
      )
    }
  if (process.argv.includes('--docs')) await writeDocs(table)
} finally {
  await browser.close()
  await server.stop()
  await rm(dir, { recursive: true, force: true })
}

/** Replaces the table between its marks. The load average shows whether the throttled figures can be trusted. */
async function writeDocs(lines: string[]): Promise<void> {
  const file = 'docs/performance.md'
  const about = `${cpus()[0]!.model.replace(/ \d+-Core.*/, '')}, ${cpus().length} cores, Chromium ${browser.version()}; ${runs} runs; load average ${loadBefore.toFixed(1)} before, ${loadavg()[0]!.toFixed(1)} at the end.`
  const text = await readFile(file, 'utf8')
  const marked = /(<!-- paint: begin -->\n).*(<!-- paint: end -->)/s
  if (!marked.test(text)) throw new Error(`${file} has lost its marks for the paint figures`)
  await writeFile(
    file,
    text.replace(marked, (_, begin: string, end: string) => `${begin}\n${about}\n\n${lines.join('\n')}\n\n${end}`),
  )
}

async function signedInState(from: Browser) {
  const context = await from.newContext({ baseURL: url })
  await signIn(await context.newPage(), url, 'paint@example.com')
  const state = await context.storageState()
  await context.close()
  return state
}

async function measure(
  from: Browser,
  profile: Profile,
  route: (typeof routes)[number],
  session: Awaited<ReturnType<typeof signedInState>> | undefined,
): Promise<Figures> {
  const context = await from.newContext({
    baseURL: url,
    viewport: { width: profile.width, height: 800 },
    hasTouch: profile.name === 'phone',
    ...(session && { storageState: session }),
  })
  const page = await context.newPage()
  await throttle(page, profile)
  await page.addInitScript(observe)
  await page.goto(route.path)
  await page.waitForLoadState('networkidle')
  const seen = await page.evaluate(() => (window as unknown as Observed).paint)
  await press(page, route.click, profile)
  await page.waitForTimeout(500)
  const clickMs = await page.evaluate(() => (window as unknown as Observed).paint.clickMs)
  await context.close()
  return { ...seen, clickMs }
}

/** Presses as people do: a finger taps; a mouse moves there, rests, and stays down for a moment. */
async function press(page: Page, selector: string, { name }: Profile): Promise<void> {
  const button = page.locator(selector).first()
  await button.scrollIntoViewIfNeeded()
  await page.waitForTimeout(300)
  if (name === 'phone') return button.tap()
  await button.hover()
  await page.waitForTimeout(100)
  await page.mouse.down()
  await page.waitForTimeout(60)
  await page.mouse.up()
}

async function throttle(page: Page, { cpu, mbitPerSecond, latencyMs }: Profile): Promise<void> {
  const devTools = await page.context().newCDPSession(page)
  const bytesPerSecond = (mbitPerSecond * 1_000_000) / 8
  await devTools.send('Network.enable')
  await devTools.send('Network.emulateNetworkConditions', {
    offline: false,
    latency: latencyMs,
    downloadThroughput: bytesPerSecond,
    uploadThroughput: bytesPerSecond,
  })
  await devTools.send('Emulation.setCPUThrottlingRate', { rate: cpu })
}

interface Observed {
  paint: Figures
}

/** Runs in the page before any of its code. */
function observe(): void {
  const paint: Figures = { fcpMs: 0, lcpMs: 0, contentMs: 0, cls: 0, tbtMs: 0, clickMs: 0 }
  ;(window as unknown as Observed).paint = paint
  const on = (type: string, each: (entry: PerformanceEntry) => void, more: object = {}) =>
    new PerformanceObserver((list) => list.getEntries().forEach(each)).observe({ type, buffered: true, ...more })
  const content = new MutationObserver(() => {
    if (!document.querySelector('main#content button')) return
    content.disconnect()
    requestAnimationFrame(() => {
      paint.contentMs = performance.now()
    })
  })
  content.observe(document, { childList: true, subtree: true })
  on('paint', (entry) => {
    if (entry.name === 'first-contentful-paint') paint.fcpMs = entry.startTime
  })
  on('largest-contentful-paint', (entry) => {
    paint.lcpMs = entry.startTime
  })
  on('layout-shift', (entry) => {
    const shift = entry as PerformanceEntry & { value: number; hadRecentInput: boolean }
    if (!shift.hadRecentInput) paint.cls += shift.value
  })
  on('longtask', (entry) => {
    paint.tbtMs += Math.max(0, entry.duration - 50)
  })
  on(
    'event',
    (entry) => {
      // Events of a press only, not of the pointer's way to it: INP counts only these.
      if ((entry as PerformanceEventTiming).interactionId > 0) paint.clickMs = Math.max(paint.clickMs, entry.duration)
    },
    { durationThreshold: 16 },
  )
}
