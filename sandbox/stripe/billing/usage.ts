import type { Body, Period, Price } from '../objects/bodies.ts'
import type { Session } from '../objects/session.ts'

export interface Meter extends Body {
  event_name: string
  status: 'active' | 'inactive'
  default_aggregation: { formula: 'sum' | 'count' | 'last' }
  customer_mapping: { event_payload_key: string }
  value_settings: { event_payload_key: string }
}

/** The aggregate of a meter for a customer in [start, end). Meter events are stored as objects but never listed. */
export async function aggregate(tx: Session, meter: Meter, customer: string, period: Period): Promise<number> {
  const value = { sum: 'sum(v)', count: 'count(*)', last: '(array_agg(v order by at desc, seq desc))[1]' }[
    meter.default_aggregation.formula
  ]
  const sql = `select coalesce(${value}, 0) as value from (
      select (body ->> '_value')::numeric as v, (body ->> 'timestamp')::bigint as at, seq from stripe_sandbox.objects
      where type = 'billing.meter_event' and not deleted and body ->> '_customer' = $1 and body ->> 'event_name' = $2) e
    where at >= $3 and at < $4`
  const { rows } = await tx.client.query<{ value: string }>(sql, [customer, meter.event_name, period.start, period.end])
  return Number(rows[0]?.value ?? 0)
}

/** The units that a metered price bills for a period. */
export async function usage(tx: Session, customer: string, price: Price, period: Period): Promise<number> {
  const meter = await tx.get<Meter>('billing.meter', price.recurring?.meter ?? '')
  return aggregate(tx, meter, customer, period)
}
