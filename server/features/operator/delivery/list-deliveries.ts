import type { z } from 'zod'
import {
  type DeliveryChannel,
  type DeliveryState,
  type delivery,
  deliveryChannels,
  deliveryStates,
  mostCounted,
} from '#contract/operator/delivery-routes.ts'
import type { Database } from '../../../db/database.ts'
import { AppError } from '../../../http/errors.ts'
import { type Channel, channels } from './channels.ts'

type Delivery = z.input<typeof delivery>
const PAGE = 50

/** How many deliveries each state has, counted to 10,001, and when the oldest that is not done arrived. */
export async function summarizeDeliveries({ pool }: Pick<Database, 'pool'>) {
  const summarize = async (channel: DeliveryChannel) => {
    const { from, states, at, table } = channels[channel]
    const none = { channel, counts: { failed: 0, retrying: 0, waiting: 0, done: 0 }, oldest_at: null }
    if (table && !(await exists(pool, table))) return none
    const counted = deliveryStates.map(
      (state) =>
        `(select count(*)::int from (select from ${from} where ${states[state]} limit ${mostCounted}) s) as ${state}`,
    )
    const { rows } = await pool.query<Record<DeliveryState, number> & { oldest: Date | null }>(
      `select ${counted.join(', ')}, (select min(${at}) from ${from} where ${states.retrying} or ${states.waiting}) as oldest`,
    )
    const { oldest, ...counts } = rows[0]!
    return { channel, counts, oldest_at: oldest?.toISOString() ?? null }
  }
  return Promise.all(deliveryChannels.map(summarize))
}

/** A page of deliveries in one state, newest first; `next` is the cursor of the page after. Throws invalid_parameter for a foreign cursor. */
export async function listDeliveries(
  { pool }: Pick<Database, 'pool'>,
  name: DeliveryChannel,
  { state, after }: { state: DeliveryState; after?: string | undefined },
): Promise<{ deliveries: Delivery[]; next: string | null }> {
  const channel = channels[name]
  const { from, joins, at, id, idType, columns, table } = channel
  const place = after === undefined ? null : readCursor(channel, after)
  if (table && !(await exists(pool, table))) return { deliveries: [], next: null }
  const selected = Object.entries(columns).map(([column, expression]) => `${expression} as ${column}`)
  const { rows } = await pool.query<Row>(
    `select ${id}::text as id, ${at} as at, ${at}::text as place, ${selected.join(', ')} from ${from} ${joins}
     where ${channel.states[state]} ${place ? `and (${at}, ${id}) < ($1::timestamptz, $2::${idType})` : ''}
     order by ${at} desc, ${id} desc limit ${PAGE + 1}`,
    place ?? [],
  )
  const last = rows[PAGE - 1]
  return {
    deliveries: rows.slice(0, PAGE).map(({ at: time, next_attempt_at: next, place: _, ...row }) => ({
      ...row,
      at: time.toISOString(),
      next_attempt_at: next?.toISOString() ?? null,
    })),
    next: rows.length > PAGE && last ? Buffer.from(JSON.stringify([last.place, last.id])).toString('base64url') : null,
  }
}

type Row = Omit<Delivery, 'at' | 'next_attempt_at'> & { at: Date; next_attempt_at: Date | null; place: string }

/** graphile-worker creates its tables when it first starts. */
async function exists(pool: Database['pool'], table: string): Promise<boolean> {
  const { rows } = await pool.query<{ ready: boolean }>('select to_regclass($1) is not null as ready', [table])
  return rows[0]!.ready
}

const ids: Record<Channel['idType'], RegExp> = {
  text: /^[\x21-\x7e]{1,100}$/,
  uuid: /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/,
  bigint: /^\d{1,18}$/,
}

/** Whether a text can be an id of the channel. Others are of nothing. */
export const isIdOf = (name: DeliveryChannel, id: string): boolean => ids[channels[name].idType].test(id)

function readCursor({ idType }: Channel, after: string): [string, string] {
  try {
    const [place, id] = JSON.parse(Buffer.from(after, 'base64url').toString()) as [string, string]
    if (/^\d{4}-\d\d-\d\d [\d:.]{8,15}[+-]\d\d(:\d\d)?$/.test(place) && ids[idType].test(id)) return [place, id]
  } catch {}
  throw new AppError('invalid_parameter', 'after: this is not a cursor. Start again without it.', {
    param: 'after',
  })
}
