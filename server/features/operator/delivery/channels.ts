import type { DeliveryChannel, DeliveryState } from '#contract/operator/delivery-routes.ts'
import { shownName } from '../account-name.ts'

/** Where a channel's deliveries are stored, as SQL that is written here and nowhere else. */
export interface Channel {
  from: string
  /** Joined for the columns of a page alone: counts need none. */
  joins: string
  /** By these, newest first; an index has them for each state. */
  at: string
  id: string
  idType: 'text' | 'uuid' | 'bigint'
  states: Record<DeliveryState, string>
  columns: Record<
    'kind' | 'about' | 'account_id' | 'account_name' | 'attempts' | 'error' | 'next_attempt_at' | 'again',
    string
  >
  /** Absent until its program has run here for the first time. */
  table?: string
}

const account = { account_id: 'a.public_id', account_name: shownName }

export const channels: Record<DeliveryChannel, Channel> = {
  events: {
    from: 'stripe_events e',
    joins: 'left join billing_customers b on b.id = e.customer_id left join accounts a on a.id = b.account_id',
    at: 'e.received_at',
    id: 'e.id',
    idType: 'text',
    states: {
      failed: 'e.dead_at is not null and e.processed_at is null',
      retrying: 'e.dead_at is null and e.processed_at is null and e.error is not null',
      waiting: 'e.dead_at is null and e.processed_at is null and e.error is null',
      done: 'e.processed_at is not null',
    },
    columns: {
      ...account,
      kind: 'e.type',
      about: 'e.object_id',
      attempts: 'e.attempts',
      error: 'e.error',
      next_attempt_at: 'case when e.dead_at is null and e.processed_at is null then e.next_attempt_at end',
      again: `'retry'`,
    },
  },
  webhooks: {
    from: 'alert_deliveries d',
    joins: 'join accounts a on a.id = d.account_id left join alert_webhooks w on w.account_id = d.account_id',
    at: 'd.created_at',
    id: 'd.id',
    idType: 'uuid',
    states: {
      failed: 'd.done_at is not null and d.error is not null',
      retrying: 'd.done_at is null and d.error is not null',
      waiting: 'd.done_at is null and d.error is null',
      done: 'd.done_at is not null and d.error is null',
    },
    columns: {
      ...account,
      kind: `d.body::jsonb ->> 'type'`,
      // Without path and query, which may hold a secret of the customer's.
      about: `substring(w.url from '^https?://[^/?#]+')`,
      attempts: 'd.attempts',
      error: 'd.error',
      next_attempt_at: 'case when d.done_at is null then d.next_attempt_at end',
      again: `case when w.url is not null then 'retry' end`,
    },
  },
  mails: {
    from: 'mail_log m',
    joins: `left join mail_outbox o on o.id = m.id
      left join account_invitations i on m.kind = 'invitation' and i.public_id::text = m.ref and i.closed_at is null
      left join accounts a on a.id = i.account_id`,
    at: 'm.created_at',
    id: 'm.id',
    idType: 'uuid',
    states: {
      failed: `m.state = 'failed'`,
      retrying: `m.state = 'waiting' and m.error is not null`,
      waiting: `m.state = 'waiting' and m.error is null`,
      done: `m.state = 'sent'`,
    },
    columns: {
      ...account,
      kind: 'm.kind',
      about: 'm.recipient',
      attempts: 'm.attempts',
      error: `coalesce(m.error, case when m.state = 'failed' then 'not sent within 24 hours' end)`,
      next_attempt_at: 'o.next_attempt_at',
      // The text of a mail that is gone is nowhere: only what can be written anew can be sent again.
      again: `case when o.id is not null then 'retry' when m.state <> 'waiting' and i.id is not null then 'resend' end`,
    },
  },
  jobs: {
    from: 'graphile_worker.jobs j',
    joins: '',
    at: 'j.created_at',
    id: 'j.id',
    idType: 'bigint',
    table: 'graphile_worker.jobs',
    states: {
      failed: 'j.attempts >= j.max_attempts and j.locked_at is null',
      retrying: 'j.attempts < j.max_attempts and j.last_error is not null',
      waiting: 'j.last_error is null and (j.attempts < j.max_attempts or j.locked_at is not null)',
      // A job that has ended well is deleted.
      done: 'false',
    },
    columns: {
      account_id: 'null::uuid',
      account_name: 'null',
      kind: 'j.task_identifier',
      about: 'null',
      attempts: 'j.attempts',
      error: 'left(j.last_error, 500)',
      next_attempt_at: 'case when j.attempts < j.max_attempts then j.run_at end',
      again: `case when j.locked_at is null then 'retry' end`,
    },
  },
}
