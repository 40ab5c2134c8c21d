import { afterEach } from 'vitest'
import { closeAfterTests } from '../../../testing/close-after-tests.ts'
import { createBarMemory } from '../../market-data/bar-store/bar-memory.ts'
import { marketDataTools } from '../../market-data/tools.ts'
import { startToolServer } from '../../tools/testing/tool-server.ts'
import type { PublishedPlace } from '../published-place.ts'
import { type PublishedData, servePublished } from '../serve-published.ts'

/** A server with the demo data that serves what a test has published, until the test ends. */
export async function startServing(logged?: string[]) {
  const server = await closeAfterTests(startToolServer(marketDataTools, {}, logged))
  const { market, log } = server.deps
  const demo = market.current
  let published: PublishedData | undefined
  /** From now on, only the demo data. */
  const stopServing = () => {
    published?.close()
    market.replace(demo)
  }
  afterEach(stopServing)
  const serve = async (place: PublishedPlace, memoryBytes = 2 ** 20): Promise<PublishedData> => {
    published = await servePublished(place, market, log, createBarMemory(memoryBytes))
    // Tests look themselves: a look of its timer in between would take what `look` is expected to find, and be among the requests.
    published.close()
    return published
  }
  const get = async (path: string, key: string) => {
    const answer = await fetch(`${server.url}${path}`, { headers: { 'x-api-key': key } })
    return { status: answer.status, body: await answer.json() }
  }
  return { server, serve, stopServing, get }
}
