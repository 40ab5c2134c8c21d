import type { PlaygroundEvent } from '#contract/playground.ts'
import type { Deps } from '../../deps.ts'
import type { Owner } from './store.ts'

const CHANNEL = 'playground_event'
const MAX_EVENT_BYTES = 512 * 1024
const KEEP = '5 minutes'

/** Delivers events to a person's open streams, on whichever instance. */
export interface PlaygroundEvents {
  publish: (owner: Owner, event: PlaygroundEvent) => Promise<void>
  /** `hear` gets each event as JSON until the returned function is called. */
  subscribe: (owner: Owner, hear: (payload: string) => void) => () => void
}

type EventDeps = Pick<Deps, 'db' | 'listener' | 'log'>

/** Events are stored as rows and announced by NOTIFY, since they may be larger than a notification. */
export function createPlaygroundEvents({ db, listener, log }: EventDeps): PlaygroundEvents {
  const streams = new Map<string, Set<(payload: string) => void>>()

  listener.on(CHANNEL, (announcement) => {
    const [id = '', address = ''] = announcement.split(' ')
    const hearers = streams.get(address)
    if (!hearers) return
    db.pool
      .query<{ payload: string }>('select payload from playground_events where id = $1', [id])
      .then(({ rows }) => {
        for (const hear of hearers) if (rows[0]) hear(rows[0].payload)
      })
      .catch((error: Error) => log.warn({ error: error.message }, 'could not deliver a playground event'))
  })

  return {
    async publish(owner, event) {
      const whole = JSON.stringify(event)
      const payload = Buffer.byteLength(whole) > MAX_EVENT_BYTES ? JSON.stringify(withoutResult(event)) : whole
      await db.pool.query(
        `with forgotten as (delete from playground_events where at < app_now() - interval '${KEEP}'),
           made as (insert into playground_events (account_id, user_id, payload) values ($1, $2, $3) returning id)
         select pg_notify('${CHANNEL}', id || ' ' || $4) from made`,
        [owner.accountId, owner.userId, payload, addressOf(owner)],
      )
    },
    subscribe(owner, hear) {
      const address = addressOf(owner)
      const hearers = streams.get(address) ?? new Set()
      streams.set(address, hearers.add(hear))
      return () => {
        hearers.delete(hear)
        if (hearers.size === 0) streams.delete(address)
      }
    },
  }
}

const addressOf = ({ accountId, userId }: Owner): string => `${accountId}/${userId}`

const withoutResult = (event: PlaygroundEvent): PlaygroundEvent => ({
  ...event,
  message: `${event.message} (too large for the stream)`,
  data: { ...event.data, result: undefined, resource: undefined },
})
