import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Browser, test as base } from '@playwright/test'
import { connect } from '#server/cli/connect.ts'
import { startServerProcess } from '#server/testing/process.ts'
import { launch } from './browser.ts'

export interface Product {
  url: string
  /** Its data directory, with the embedded database. */
  dir: string
}

/** The clock of all rules in SQL; set back after the test. Browser and access tokens keep the machine's. */
export interface Clock {
  /** `interval` as PostgreSQL reads it, such as '6 minutes'; adds to what it was moved before. */
  move: (interval: string) => Promise<void>
  /** Milliseconds since 1970 by that clock. */
  now: () => Promise<number>
}

export const freePort = (): Promise<number> =>
  new Promise((done, failed) => {
    const probe = createServer().once('error', failed)
    probe.listen(0, '127.0.0.1', () => {
      const address = probe.address()
      probe.close(() => (address && typeof address === 'object' ? done(address.port) : failed(new Error('no port'))))
    })
  })

/** Every worker has the product for itself, started as `npm start` starts it on an empty data directory. */
export const test = base.extend<{ baseURL: string; clock: Clock }, { product: Product; browser: Browser }>({
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
      const dir = await mkdtemp(join(tmpdir(), 'finmeter-e2e-'))
      const port = await freePort()
      const server = startServerProcess({ PORT: String(port), FINMETER_DATA_DIR: dir, NODE_ENV: 'development' })
      await server.ready
      await use({ url: `http://localhost:${port}`, dir })
      await server.stop()
      await rm(dir, { recursive: true, force: true })
    },
    { scope: 'worker', timeout: 60_000 },
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
