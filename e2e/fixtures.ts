import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Browser, test as base } from '@playwright/test'
import { startServerProcess } from '#server/testing/process.ts'
import { launch } from './browser.ts'

export interface Product {
  url: string
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
export const test = base.extend<{ baseURL: string }, { product: Product; browser: Browser }>({
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
      await use({ url: `http://localhost:${port}` })
      await server.stop()
      await rm(dir, { recursive: true, force: true })
    },
    { scope: 'worker', timeout: 60_000 },
  ],
  baseURL: async ({ product }, use) => use(product.url),
})
