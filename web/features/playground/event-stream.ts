import type { PlaygroundEvent } from '#contract/playground.ts'

export type StreamStatus = 'Disconnected' | 'Connecting' | 'Connected' | 'Error'
export const reconnectDelayMs = 1000

interface StreamParts {
  /** A fresh ticket for each opening; throws when nobody is signed in. */
  ticket: () => Promise<string>
  open: (url: string) => EventSource
  onEvent: (event: PlaygroundEvent) => void
  onStatus: (status: StreamStatus) => void
  /** Told once until the next successful opening. */
  onFailure: (error: unknown) => void
}

export interface EventStream {
  /** Closes what is open and opens anew, after `delayMs`. */
  restart: (delayMs?: number) => void
  close: () => void
}

/** Keeps one stream of server-sent events open: after an error it is opened again, with a new ticket, a second later. */
export function createEventStream({ ticket, open, onEvent, onStatus, onFailure }: StreamParts): EventStream {
  let source: EventSource | null = null
  let timer: ReturnType<typeof setTimeout> | undefined
  let attempt = 0
  let told = false

  const fail = (error: unknown): void => {
    source?.close()
    source = null
    onStatus('Error')
    if (!told) onFailure(error)
    told = true
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
        told = false
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
      told = false
      schedule(delayMs)
    },
    close() {
      stop()
      onStatus('Disconnected')
    },
  }
}

/** What is not JSON with a type is not for us. */
function parse(text: string): PlaygroundEvent | null {
  try {
    const event = JSON.parse(text)
    return typeof event?.type === 'string' ? { message: '', data: {}, serverName: '', ...event } : null
  } catch {
    return null
  }
}
