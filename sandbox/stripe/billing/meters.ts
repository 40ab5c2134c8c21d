import type Stripe from 'stripe'
import { invalid } from '../api/errors.ts'
import { type Handler, pick } from '../objects/assign.ts'
import type { Body } from '../objects/bodies.ts'
import { newId, type Session } from '../objects/session.ts'
import { aggregate, type Meter } from './usage.ts'

const day = 86_400

async function createMeter(tx: Session, params: Stripe.Billing.MeterCreateParams): Promise<Body> {
  const [taken] = await tx.find<Meter>('billing.meter', { event_name: params.event_name, status: 'active' })
  if (taken)
    throw invalid(`An active meter with the event name ${params.event_name} already exists.`, {
      code: 'resource_already_exists',
      param: 'event_name',
    })
  return tx.create('billing.meter', 'mtr', {
    customer_mapping: { event_payload_key: 'stripe_customer_id', type: 'by_id' },
    value_settings: { event_payload_key: 'value' },
    status: 'active',
    updated: tx.now,
    ...pick(
      params,
      'display_name',
      'event_name',
      'default_aggregation',
      'event_time_window',
      'customer_mapping',
      'value_settings',
    ),
  })
}

async function record(tx: Session, params: Stripe.Billing.MeterEventCreateParams): Promise<unknown> {
  const [meter] = await tx.find<Meter>('billing.meter', { event_name: params.event_name, status: 'active' })
  if (!meter)
    throw invalid(`No active meter found for event name '${params.event_name}'.`, {
      code: 'resource_missing',
      param: 'event_name',
    })
  const customer = params.payload[meter.customer_mapping.event_payload_key]
  if (!customer) throw invalid(`The payload lacks ${meter.customer_mapping.event_payload_key}.`, { param: 'payload' })
  await tx.customer(customer)
  const value = params.payload[meter.value_settings.event_payload_key] ?? '1'
  if (!/^-?\d+(\.\d+)?$/.test(value))
    throw invalid(`The payload's value is not a number: ${value}`, { param: 'payload' })
  const timestamp = params.timestamp ?? tx.now
  if (timestamp < tx.now - 35 * day)
    throw invalid('The timestamp is older than 35 days.', { code: 'timestamp_too_far_in_past', param: 'timestamp' })
  if (timestamp > tx.now + 300)
    throw invalid('The timestamp is more than 5 minutes in the future.', {
      code: 'timestamp_in_future',
      param: 'timestamp',
    })
  const identifier = params.identifier ?? newId('mevt')
  const earlier = await tx.find<Body & { created: number }>('billing.meter_event', { identifier })
  if (earlier.some(({ created }) => created > tx.now - day)) {
    throw invalid(`An event already exists with identifier ${identifier}.`, {
      code: 'resource_already_exists',
      param: 'identifier',
    })
  }
  const event = { event_name: params.event_name, identifier, payload: params.payload, timestamp }
  const made = await tx.create('billing.meter_event', 'mevt', { ...event, _customer: customer, _value: value })
  return { ...made, id: undefined }
}

async function summaries(
  tx: Session,
  params: Stripe.Billing.MeterListEventSummariesParams,
  id: string,
): Promise<unknown> {
  const meter = await tx.get<Meter>('billing.meter', id)
  const customer = await tx.customer(params.customer)
  const { start_time: from, end_time: to } = params
  const width = { hour: 3600, day }[params.value_grouping_window as 'hour'] ?? to - from
  if (to <= from || (to - from) / width > 1000)
    throw invalid('The range is empty or too long for this window.', { param: 'end_time' })
  const data = []
  for (let start = from; start < to; start += width) {
    const value = await aggregate(tx, meter, customer.id, { start, end: Math.min(start + width, to) })
    const times = { start_time: start, end_time: Math.min(start + width, to) }
    if (value)
      data.unshift({
        id: newId('mtrusg'),
        object: 'billing.meter_event_summary',
        aggregated_value: value,
        livemode: false,
        meter: id,
        ...times,
      })
  }
  return { object: 'list', url: `/v1/billing/meters/${id}/event_summaries`, has_more: false, data }
}

export const meterHandlers: Record<string, Handler> = {
  'POST /v1/billing/meters': createMeter,
  'GET /v1/billing/meters/{id}/event_summaries': summaries,
  'POST /v1/billing/meter_events': record,
}
