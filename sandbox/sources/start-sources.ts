import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import type { Answer, Asked, Source } from './answer.ts'
import { bls } from './bls.ts'
import { ecb } from './ecb.ts'
import { edgar } from './edgar.ts'
import { sourceFiles } from './source-files.ts'
import { treasury } from './treasury.ts'
import { alphavantage, eodhd, massive, tiingo, twelvedata } from './vendors.ts'
import { worldbank } from './worldbank.ts'

const PIECES = 10

const sources: Record<string, Source> = {
  'api.bls.gov': bls,
  'api.massive.com': massive,
  'api.tiingo.com': tiingo,
  'api.twelvedata.com': twelvedata,
  'api.worldbank.org': worldbank,
  'data.sec.gov': edgar,
  'eodhd.com': eodhd,
  'home.treasury.gov': treasury,
  'www.alphavantage.co': alphavantage,
  'www.ecb.europa.eu': ecb,
  'www.sec.gov': edgar,
}

export interface SandboxSources {
  /** Where to request a URL of a source instead. */
  via: (url: string) => string
  /** What is recorded of a connector that asks for chosen companies; the vendors' prices are made up. */
  selectionOf: (connector: string) => string[]
  /** Every request so far. */
  asked: Asked[]
  close: () => Promise<void>
}

/**
 * The public sources of data on this machine, with recorded answers: `http://127.0.0.1:PORT/<host>/<path>` answers what
 * `https://<host>/<path>` would. `answers` is a folder with further recorded answers; `interfere` changes or replaces one.
 */
export async function startSandboxSources({
  port = 0,
  answers = null,
  interfere = (_, answer) => answer,
}: {
  port?: number
  answers?: string | null
  interfere?: (asked: Asked, answer: Answer) => Answer
} = {}): Promise<SandboxSources> {
  const files = sourceFiles(join(import.meta.dirname, '../../datasets/connectors'), answers)
  const asked: Asked[] = []
  const server = createServer(async (request, response) => {
    const [, host = '', ...path] = (request.url ?? '').split('/')
    const url = new URL(`https://${host || 'unknown.invalid'}/${path.join('/')}`)
    const { method = 'GET', headers } = request
    const one = { method, url, headers, body: await readAll(request) }
    asked.push(one)
    const answer = sources[url.host]?.(one, files) ?? { status: 404, body: 'Not Found' }
    await send(response, interfere(one, answer))
  })
  await new Promise<void>((done, failed) => {
    server.once('error', failed)
    server.listen(port, '127.0.0.1', done)
  })
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    via: (url) => `${origin}/${url.replace(/^https?:\/\//, '')}`,
    selectionOf: (connector) =>
      connector === 'sec'
        ? files.list('sec', 'companyfacts').map((name) => name.replace('.json', ''))
        : ['MADE', 'UPCO'],
    asked,
    async close() {
      server.closeAllConnections()
      await new Promise((done) => server.close(done))
    },
  }
}

async function readAll(request: IncomingMessage): Promise<string> {
  let text = ''
  for await (const chunk of request.setEncoding('utf8')) text += chunk
  return text
}

async function send(response: ServerResponse, { status, headers, body = '', pauseMs, breaks }: Answer): Promise<void> {
  const bytes = Buffer.from(body)
  response.writeHead(status, status === 304 ? headers : { ...headers, 'content-length': bytes.length })
  if (status === 304) return void response.end()
  if (breaks) {
    response.write(bytes.subarray(0, bytes.length / 2), () => response.destroy())
    return
  }
  if (pauseMs !== undefined)
    for (let at = 0; at < PIECES && !response.destroyed; at++) {
      response.write(bytes.subarray((at * bytes.length) / PIECES, ((at + 1) * bytes.length) / PIECES))
      await pause(pauseMs)
    }
  else response.write(bytes)
  response.end()
}
