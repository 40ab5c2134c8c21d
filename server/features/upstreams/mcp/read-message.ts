import type { Readable } from 'node:stream'
import { UpstreamFailure } from '../request/failure.ts'
import { collect } from '../request/receive.ts'

/**
 * The one message that answers a request of MCP, from a body of JSON or of events, as text. In events, `onMessage` sees those before it
 * (progress, logs), and the rest is not waited for: some servers keep the stream open. Throws UpstreamFailure when the body breaks off,
 * ends without it, or is longer than `mostBytes`.
 */
export async function readMessage(
  body: Readable,
  type: string,
  id: unknown,
  mostBytes: number,
  onMessage: (message: unknown) => void = () => {},
): Promise<string> {
  if (!type.startsWith('text/event-stream')) return (await collect(body, mostBytes)).toString()
  let bytes = 0
  let rest = ''
  const decoder = new TextDecoder()
  try {
    for await (const chunk of body as AsyncIterable<Buffer>) {
      bytes += chunk.length
      if (bytes > mostBytes) throw new UpstreamFailure(`the events have more than ${mostBytes} bytes`)
      const events = (rest + decoder.decode(chunk, { stream: true })).split(/\r\n\r\n|\n\n|\r\r/)
      rest = events.pop()!
      for (const data of events.map(dataOf)) {
        if (data.trim() === '') continue
        const message = messageOf(data)
        if (message.id === id && message.method === undefined) return data
        onMessage(message)
      }
    }
  } catch (cause) {
    throw cause instanceof UpstreamFailure ? cause : new UpstreamFailure('the events broke off', { cause })
  } finally {
    body.destroy()
  }
  throw new UpstreamFailure('the events ended without a result')
}

const dataOf = (event: string): string =>
  event
    .split(/\r\n|\r|\n/)
    .filter((line) => line.startsWith('data:'))
    .map((line) => line.slice('data:'.length))
    .join('\n')

function messageOf(data: string): { id?: unknown; method?: unknown } {
  try {
    return (JSON.parse(data) ?? {}) as { id?: unknown; method?: unknown }
  } catch {
    throw new UpstreamFailure('an event is no JSON')
  }
}
