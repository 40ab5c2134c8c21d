import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Browser, test as base } from '@playwright/test'
import { connect } from '#server/cli/connect.ts'
import { freePort } from '#server/db/embedded.ts'
import { startServerProcess } from '#server/testing/process.ts'
import { launch } from './browser.ts'

export interface Product {
  url: string
  /** Its data directory, with the embedded database. */
  dir: string
}

/** The clock of all SQL rules; reset after the test. Browser and access tokens use the machine's clock. */
export interface Clock {
  /** `interval` in PostgreSQL syntax, such as '6 minutes'; adds to earlier moves. */
  move: (interval: string) => Promise<void>
  /** Milliseconds since 1970 by that clock. */
  now: () => Promise<number>
}

/** Starts a product with these settings on an empty data directory. A start takes as long as several tests. */
export async function startProduct(settings: NodeJS.ProcessEnv): Promise<Product & { stop: () => Promise<void> }> {
  const dir = await mkdtemp(join(tmpdir(), 'finmeter-e2e-'))
  const port = String(await freePort())
  const server = startServerProcess({ PORT: port, FINMETER_DATA_DIR: dir, NODE_ENV: 'development', ...settings })
  const stop = async () => {
    await server.stop()
    await rm(dir, { recursive: true, force: true })
  }
  await server.ready.catch(async (error: unknown) => {
    await stop()
    throw error
  })
  return { url: `http://localhost:${port}`, dir, stop }
}

/** Runs a product with these settings while `use` lasts. */
export async function withProduct(settings: NodeJS.ProcessEnv, use: (product: Product) => Promise<void>) {
  const product = await startProduct(settings)
  try {
    await use(product)
  } finally {
    await product.stop()
  }
}

/** Every worker has its own product, started as `npm start` starts it on an empty data directory. */
export const test = base.extend<
  { baseURL: string; clock: Clock },
  { product: Product; browser: Browser; apart: string }
>({
  /** A file that changes what is sold, or counts all customers, names itself here: it gets a product that no other file uses. */
  apart: ['', { scope: 'worker', option: true }],
  browser: [
    async ({}, use) => {
      const browser = await launch()
      await use(browser)
      await browser.close()
    },
    { scope: 'worker' },
  ],
  product: [
    async ({}, use) => {
      await withProduct({}, use)
    },
    // A limit, not a pace, as those of playwright.config.ts: several products start at once.
    { scope: 'worker', timeout: 600_000 },
  ],
  baseURL: async ({ product }, use) => use(product.url),
  clock: async ({ product }, use) => {
    const { db, close } = await connect({ FINMETER_DATA_DIR: product.dir })
    await use({
      move: async (interval) =>
        void (await db.pool.query(
          'insert into app_clock (offset_by) values ($1) on conflict (only_row) do update set offset_by = app_clock.offset_by + $1',
          [interval],
        )),
      now: async () => Number((await db.pool.query('select extract(epoch from app_now()) * 1000 as ms')).rows[0].ms),
    })
    await db.pool.query('delete from app_clock')
    await close()
  },
})
