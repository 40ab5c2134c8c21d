/** The API that is sold, as a process of its own: one JSON body, and event streams with an event a second until they are ended. */
import type { ServerResponse } from 'node:http'
import { serve, setup } from '../peers/serve.ts'
import { END_PATH, PRICE_PATH, priceBody, WATCH_PATH } from './acme.ts'

const EVENT = `data: ${priceBody}\n\n`
const EVERY_MS = 1_000
const jsonHeaders = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(priceBody) }
const streams = new Set<ServerResponse>()

await setup()
setInterval(() => {
  for (const stream of streams) stream.write(EVENT)
}, EVERY_MS)

serve(({ url = '' }, response) => {
  if (url.startsWith(PRICE_PATH)) return void response.writeHead(200, jsonHeaders).end(priceBody)
  if (url === WATCH_PATH) {
    streams.add(response)
    response.once('close', () => streams.delete(response))
    return void response.writeHead(200, { 'content-type': 'text/event-stream' }).write(EVENT)
  }
  if (url !== END_PATH) return void response.writeHead(404).end()
  for (const stream of streams) stream.end()
  response.end()
})
