import type { PlaygroundEvent } from '#contract/playground.ts'

export type StreamStatus = 'Disconnected' | 'Connecting' | 'Connected' | 'Error'
export const reconnectDelayMs = 1000

interface StreamParts {
  /** A fresh ticket for each connection; throws if nobody is signed in. */
  ticket: () => Promise<string>
  open: (url: string) => EventSource
  onEvent: (event: PlaygroundEvent) => void
  onStatus: (status: StreamStatus) => void
  /** Reported once until the next successful connection. */
  onFailure: (error: unknown) => void
}

export interface EventStream {
  /** Closes the stream and reopens it after `delayMs`. */
  restart: (delayMs?: number) => void
  close: () => void
}

/** Keeps one stream of server-sent events open: after an error it reconnects a second later, with a new ticket. */
export function createEventStream({ ticket, open, onEvent, onStatus, onFailure }: StreamParts): EventStream {
  let source: EventSource | null = null
  let timer: ReturnType<typeof setTimeout> | undefined
  let attempt = 0
  let reported = false

  const fail = (error: unknown): void => {
    source?.close()
    source = null
    onStatus('Error')
    if (!reported) onFailure(error)
    reported = true
    schedule(reconnectDelayMs)
  }

  const schedule = (delayMs: number): void => {
    clearTimeout(timer)
    attempt += 1
    const mine = attempt
    timer = setTimeout(() => void start(mine), delayMs)
  }

  const start = async (mine: number): Promise<void> => {
    onStatus('Connecting')
    try {
      const token = await ticket()
      if (mine !== attempt) return
      const fresh = open(`/api/playground/stream?token=${encodeURIComponent(token)}`)
      source = fresh
      fresh.onopen = () => {
        reported = false
        onStatus('Connected')
      }
      fresh.onmessage = ({ data }) => {
        const event = parse(data)
        if (event) onEvent(event)
      }
      fresh.onerror = () => {
        if (source === fresh) fail(null)
      }
    } catch (error) {
      if (mine === attempt) fail(error)
    }
  }

  const stop = (): void => {
    clearTimeout(timer)
    attempt += 1
    source?.close()
    source = null
  }

  return {
    restart(delayMs = 0) {
      stop()
      reported = false
      schedule(delayMs)
    },
    close() {
      stop()
      onStatus('Disconnected')
    },
  }
}

/** Ignores messages that are not JSON with a type. */
function parse(text: string): PlaygroundEvent | null {
  try {
    const event = JSON.parse(text)
    return typeof event?.type === 'string' ? { message: '', data: {}, serverName: '', ...event } : null
  } catch {
    return null
  }
}
