import { useCallback, useEffect, useRef, useState } from 'react'
import type { PlaygroundEvent } from '#contract/playground.ts'
import { accessToken } from '../../lib/auth/session.ts'
import { eventMessage } from './chat/messages/event-message.ts'
import type { Say } from './chat/messages/use-messages.ts'
import { createEventStream, type EventStream, reconnectDelayMs, type StreamStatus } from './event-stream.ts'
import { playgroundApi } from './playground-api.ts'
import { playgroundText as text } from './text.ts'

/**
 * The account's event stream while signed in. Events of servers go to `onServer`, others become messages.
 * `ownCalls`: call ids to leave out.
 */
export function useEventStream(
  signedIn: boolean,
  ownCalls: Set<string>,
  say: Say,
  onServer: (event: PlaygroundEvent) => void,
): { stream: StreamStatus; restart: () => void } {
  const [status, setStatus] = useState<StreamStatus>('Disconnected')
  const stream = useRef<EventStream>(null)
  const follow = useRef(onServer)
  follow.current = onServer
  useEffect(() => {
    if (!signedIn) return
    const opened = createEventStream({
      ticket: async () => {
        if (!(await accessToken())) throw new Error(text.noToken)
        return playgroundApi.ticket()
      },
      open: (url) => new EventSource(url),
      onStatus: setStatus,
      onFailure: (error) =>
        say('error', error instanceof Error && error.message === text.noToken ? text.noToken : text.streamFailed),
      onEvent: (event) => {
        if (event.type === 'connected' || event.type === 'disconnected' || event.type === 'tools')
          return follow.current(event)
        const message = eventMessage(event, ownCalls)
        if (message) say(message.type, message.content, message.data, message.call && { call: message.call })
      },
    })
    stream.current = opened
    opened.restart()
    return () => opened.close()
  }, [signedIn, ownCalls, say])
  const restart = useCallback(() => stream.current?.restart(reconnectDelayMs), [])
  return { stream: status, restart }
}
