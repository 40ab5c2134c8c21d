/** The plain pass-through: `node:http` and a pool of undici, as Finmeter has one. It passes everything on and checks nothing. */
import { pipeline } from 'node:stream'
import { Pool } from 'undici'
import { serve, setup } from '../peers/serve.ts'

/** Those of a connection are not passed on. */
const OF_CONNECTION = ['connection', 'keep-alive', 'transfer-encoding']

const { upstream, connections } = await setup<{ upstream: number; connections: number }>()
const pool = new Pool(`http://127.0.0.1:${upstream}`, { connections })

const without = <T>(headers: Record<string, T>): Record<string, T> =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => !OF_CONNECTION.includes(name)))

serve(async ({ method = 'GET', url = '/', headers: given }, response) => {
  try {
    const { statusCode, headers, body } = await pool.request({ method, path: url, headers: without(given) })
    pipeline(body, response.writeHead(statusCode, without(headers)), () => {})
  } catch {
    response.writeHead(502).end()
  }
})
