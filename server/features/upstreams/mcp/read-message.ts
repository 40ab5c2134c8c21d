import type { Readable } from 'node:stream'
import { collect } from '../request/decode-answer.ts'
import { UpstreamFailure } from '../request/failure.ts'

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
  const eventsOf = createEventSplitter()
  const decoder = new TextDecoder()
  try {
    for await (const chunk of body as AsyncIterable<Buffer>) {
      bytes += chunk.length
      if (bytes > mostBytes) throw new UpstreamFailure(`the events have more than ${mostBytes} bytes`)
      for (const data of eventsOf(decoder.decode(chunk, { stream: true })).map(dataOf)) {
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

const END = /\r\n\r\n|\n\n|\r\r/
/** What is left of an end whose last character has not arrived. */
const MOST_OF_END = 3

/** The events that a further part of the text completes. Each character is looked at once: a server may send them one at a time. */
function createEventSplitter(): (text: string) => string[] {
  let seen: string[] = []
  let edge = ''
  return (text) => {
    const events = (edge + text).split(END)
    const last = events.pop()!
    if (events.length > 0) {
      events[0] = seen.join('') + events[0]
      seen = []
    }
    seen.push(last.slice(0, -MOST_OF_END))
    edge = last.slice(-MOST_OF_END)
    return events
  }
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
