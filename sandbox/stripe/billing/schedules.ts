import type Stripe from 'stripe'
import { invalid } from '../api/errors.ts'
import { assign, type Handler } from '../objects/assign.ts'
import { type Body, type Item, idOf, type Price, type Subscription } from '../objects/bodies.ts'
import type { Session } from '../objects/session.ts'
import { changeSubscription } from './change-subscription.ts'
import { optionOf } from './currency.ts'
import { cancelNow } from './end-subscription.ts'
import { addIntervals } from './money.ts'
import { saveSubscription } from './save-subscription.ts'

type Proration = 'always_invoice' | 'create_prorations' | 'none'

interface Phase {
  start_date: number
  end_date: number
  items: { price: string; plan: string; quantity: number }[]
  proration_behavior: Proration
}

export interface Schedule extends Body {
  status: string
  subscription: string | null
  phases: Phase[]
  current_phase: { start_date: number; end_date: number } | null
  end_behavior: string
}

type Recurrence = NonNullable<Price['recurring']>
type PhaseParams = Stripe.SubscriptionScheduleUpdateParams.Phase

async function readPhases(tx: Session, given: PhaseParams[], start: number, currency: string): Promise<Phase[]> {
  const phases = []
  let from = start
  for (const [index, phase] of given.entries()) {
    const items = []
    for (const item of phase.items) {
      const price = await tx.get<Price>('price', item.price ?? '', `phases[${index}][items]`)
      optionOf(price, currency, `phases[${index}][items]`)
      items.push({ price: price.id, plan: price.id, quantity: item.quantity ?? 1, discounts: [] })
    }
    const begin = typeof phase.start_date === 'number' ? phase.start_date : from
    const price = await tx.get<Price>('price', items[0]?.price ?? '')
    const { interval = 'month', interval_count: step = 1 } = (phase.duration ??
      price.recurring ??
      {}) as Partial<Recurrence>
    const end = typeof phase.end_date === 'number' ? phase.end_date : addIntervals(begin, interval, step)
    if (end <= begin) throw invalid('The phase must end after it starts.', { param: `phases[${index}][end_date]` })
    phases.push({
      start_date: begin,
      end_date: end,
      items,
      currency,
      proration_behavior: (phase.proration_behavior ?? 'create_prorations') as Proration,
    })
    from = end
  }
  return phases
}

async function store(tx: Session, schedule: Schedule): Promise<Schedule> {
  const phase = schedule.phases.find((one) => one.start_date <= tx.now && tx.now < one.end_date)
  schedule.current_phase = phase ? { start_date: phase.start_date, end_date: phase.end_date } : null
  await tx.save(schedule)
  const subscription = await tx.get<Subscription>('subscription', schedule.subscription ?? '')
  subscription.schedule = schedule.id
  subscription._phaseEnd = phase?.end_date ?? null
  await saveSubscription(tx, subscription, 'customer.subscription.updated')
  return schedule
}

/** Creates a schedule for a subscription; its first phase is the current one. */
export async function scheduleFrom(tx: Session, subscription: Subscription): Promise<Schedule> {
  if (subscription.schedule)
    throw invalid('You cannot migrate a subscription that is already attached to a schedule.', {
      param: 'from_subscription',
    })
  const [first] = subscription.items.data as [Item]
  const items = subscription.items.data.map(({ price, quantity = 1 }) => ({
    price: price.id,
    plan: price.id,
    quantity,
    discounts: [],
  }))
  const own = {
    start_date: first.current_period_start,
    end_date: first.current_period_end,
    currency: subscription.currency,
  }
  const schedule = await tx.create<Schedule>('subscription_schedule', 'sub_sched', {
    billing_mode: subscription.billing_mode,
    customer: subscription.customer,
    default_settings: {
      billing_cycle_anchor: 'automatic',
      invoice_settings: { issuer: { type: 'self' } },
      collection_method: 'charge_automatically',
    },
    end_behavior: 'release',
    status: 'active',
    subscription: subscription.id,
    phases: [{ ...own, items, proration_behavior: 'create_prorations' }],
    test_clock: subscription.test_clock,
  })
  return store(tx, schedule)
}

async function createSchedule(tx: Session, params: Stripe.SubscriptionScheduleCreateParams): Promise<Body> {
  if (params.from_subscription)
    return scheduleFrom(tx, await tx.get<Subscription>('subscription', params.from_subscription, 'from_subscription'))
  throw invalid('The sandbox makes schedules from subscriptions only.', {
    code: 'parameter_missing',
    param: 'from_subscription',
  })
}

/** Replaces the phases, the end behavior or the metadata. */
export async function updateSchedule(
  tx: Session,
  params: Stripe.SubscriptionScheduleUpdateParams,
  id: string,
): Promise<Schedule> {
  const schedule = await live(tx, id)
  assign(schedule, params, 'end_behavior', 'metadata')
  const start = schedule.phases[0]?.start_date ?? tx.now
  const currency = String((schedule.phases[0] as unknown as Body)?.currency)
  if (params.phases) schedule.phases = await readPhases(tx, params.phases, start, currency)
  return store(tx, schedule)
}

async function live(tx: Session, id: string): Promise<Schedule> {
  const schedule = await tx.get<Schedule>('subscription_schedule', id)
  if (schedule.status === 'active') return schedule
  throw invalid(`You cannot change a subscription schedule that is currently in the \`${schedule.status}\` status.`)
}

/** Releases the subscription, unchanged, from its schedule. */
export async function releaseSchedule(tx: Session, _params: unknown, id: string): Promise<Schedule> {
  const schedule = await live(tx, id)
  const subscription = await tx.get<Subscription>('subscription', schedule.subscription ?? '')
  Object.assign(schedule, {
    status: 'released',
    released_at: tx.now,
    released_subscription: schedule.subscription,
    subscription: null,
    current_phase: null,
  })
  await tx.save(schedule)
  subscription.schedule = null
  subscription._phaseEnd = null
  await saveSubscription(tx, subscription, 'customer.subscription.updated')
  return schedule
}

/** At the end of a phase, applies the next one or ends the schedule. Changes the given subscription in place. */
export async function enterNextPhase(tx: Session, subscription: Subscription): Promise<void> {
  const schedule = await tx.get<Schedule>('subscription_schedule', idOf(subscription.schedule) ?? '')
  const next = schedule.phases.find((phase) => phase.start_date <= tx.now && tx.now < phase.end_date)
  if (!next && schedule.end_behavior === 'cancel') {
    Object.assign(schedule, { status: 'completed', completed_at: tx.now, current_phase: null })
    await tx.save(schedule)
    await cancelNow(tx, subscription, {})
    return
  }
  if (!next) {
    await releaseSchedule(tx, {}, schedule.id)
    Object.assign(subscription, { schedule: null, _phaseEnd: null })
    return
  }
  schedule.current_phase = { start_date: next.start_date, end_date: next.end_date }
  await tx.save(schedule)
  subscription._phaseEnd = next.end_date
  const renews = (subscription.items.data[0]?.current_period_end ?? 0) <= tx.now
  for (const [index, wanted] of next.items.entries()) {
    const item = subscription.items.data[index]
    if (!item || (item.price.id === wanted.price && item.quantity === wanted.quantity)) continue
    if (renews) Object.assign(item, { price: await tx.get<Price>('price', wanted.price), quantity: wanted.quantity })
    else {
      const changed = await changeSubscription(tx, subscription, {
        items: [{ id: item.id, price: wanted.price, quantity: wanted.quantity }],
        proration_behavior: next.proration_behavior,
      })
      Object.assign(subscription, changed)
    }
  }
}

export const scheduleHandlers: Record<string, Handler> = {
  'POST /v1/subscription_schedules': createSchedule,
  'POST /v1/subscription_schedules/{id}': updateSchedule,
  'POST /v1/subscription_schedules/{id}/release': releaseSchedule,
}
