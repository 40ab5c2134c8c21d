import type { Database } from '../../../db/database.ts'
import type { Deps } from '../../../deps.ts'
import { undecided } from '../../agent-payments/undecided.ts'
import { readStaleDatasets } from '../../datasets/connectors/read-stale.ts'
import { shownName } from '../account-name.ts'
import { channels } from '../delivery/channels.ts'
import { readCheckRuns } from './check-runs.ts'

export interface Finding {
  key: string
  title: string
  detail: string
  todo: string
  count: number
  /** Null: since it was first seen. */
  since: Date | null
  link: { to: string; label: string } | null
  /** Changes with what is behind the finding. */
  mark: string
}

/** What needs attention now, worst first. Each source is a short list, or has an index for what is wrong in it. */
export async function readFindings({ db, config }: Pick<Deps, 'db' | 'config'>): Promise<Finding[]> {
  const [sums, upstreams, servers, runs, stale, jobs] = await Promise.all([
    readSums(db),
    readUpstreamFindings(db),
    readServerFindings(db),
    readCheckFindings(db),
    readStaleDatasets(config),
    readJobFindings(db),
  ])
  const datasets = stale.map(
    ({ name, title, since, reason }): Finding => ({
      key: `dataset:${name}`,
      title: `${title} is stale`,
      detail: reason,
      todo: `To see why, fetch it on the command line: npm run data -- fetch ${name}`,
      count: 1,
      since,
      link: { to: '/supply/datasets', label: 'Open datasets' },
      mark: reason,
    }),
  )
  return [...runs.broken, ...sums, ...servers, ...datasets, ...upstreams, ...jobs, ...runs.doctor]
}

interface Sum {
  key: string
  n: number
  since: Date | null
  names: string | null
  mark: string | null
}

type Text = Pick<Finding, 'todo' | 'link'> & { title: (n: number) => string; detail: (names: string) => string }

const many = (n: number, one: string, more = `${one}s`) => (n === 1 ? `1 ${one}` : `${n} ${more}`)
const names = (text: string) => text

const sumTexts: Record<string, Text> = {
  payments: {
    title: (n) => `${many(n, 'payment')} failed`,
    detail: (text) => `${text}. A plan ends seven days after its payment failed.`,
    todo: 'Ask the customer to pay the invoice or to save another card.',
    link: { to: '/customers?state=past_due', label: 'Open customers' },
  },
  tax: {
    title: (n) => `${many(n, 'subscription renews', 'subscriptions renew')} without tax`,
    detail: (text) => `${text}. The payment provider lost the customer's location and stopped computing the tax.`,
    todo: 'Ask the customer to check the billing address under Billing. The tax is then computed again.',
    link: null,
  },
  disputes: {
    title: (n) => `${many(n, 'dispute is', 'disputes are')} open`,
    detail: names,
    todo: 'Answer it at the payment provider before its deadline.',
    link: { to: '/finance/refunds', label: 'Open refunds' },
  },
  events: {
    title: (n) => `${many(n, 'payment event is', 'payment events are')} stuck`,
    detail: names,
    todo: 'Read the error, fix its cause, and retry.',
    link: { to: '/delivery?channel=events', label: 'Open events' },
  },
  webhooks: {
    title: (n) => `${many(n, 'webhook has', 'webhooks have')} failed for over an hour`,
    detail: names,
    todo: 'Tell the customer that their server does not accept alerts.',
    link: { to: '/delivery?channel=webhooks', label: 'Open webhooks' },
  },
  agent_payments: {
    title: (n) => `${many(n, 'payment', 'payments')} of agents ${n === 1 ? 'is' : 'are'} undecided`,
    detail: (text) =>
      `From ${text}. Whether the money came has not been known for ten minutes, and nothing was delivered.`,
    todo: 'Check that the facilitator and the node answer: the doctor under Health says so. The payments are then decided by themselves.',
    link: { to: '/payments?state=unknown', label: 'Open agent payments' },
  },
  mails: {
    title: (n) => `${many(n, 'email', 'emails')} could not be sent in the last day`,
    detail: names,
    todo: 'Check the mail server and the addresses.',
    link: { to: '/delivery?channel=mails&state=failed', label: 'Open emails' },
  },
}

const sum = (key: string, n: string, since: string, from: string, name: string, mark: string): string =>
  `select '${key}' as key, ${n}::int as n, ${since} as since,
     (select string_agg(distinct name, ', ') from (select ${name} as name from ${from} limit 5) s) as names, ${mark}::text as mark from ${from}`

const failingWebhooks = `alert_deliveries d join accounts a on a.id = d.account_id where d.error is not null and
  ((d.done_at is null and d.created_at < app_now() - interval '1 hour') or (d.done_at is not null and d.created_at > app_now() - interval '7 days'))`
// Each half is the predicate of an index.
const stuckEvents = `stripe_events e where (e.dead_at is not null and e.processed_at is null) or
  (e.dead_at is null and e.processed_at is null and e.received_at < app_now() - interval '5 minutes')`
const failedMails = `mail_log m where m.state = 'failed' and m.created_at > app_now() - interval '1 day'`
const unpaid = 'subscriptions s join accounts a on a.id = s.account_id where s.past_due_since is not null'
const untaxed =
  'subscriptions s join accounts a on a.id = s.account_id where s.tax_off is not null and s.ended_at is null'
const disputed = `disputes d where d.status not in ('won', 'lost', 'warning_closed', 'prevented')`

const sums = [
  sum('payments', 'count(*)', 'min(s.past_due_since)', unpaid, shownName, 'max(s.past_due_since)'),
  sum('tax', 'count(*)', 'null::timestamptz', untaxed, shownName, 'max(s.id)'),
  sum('disputes', 'count(*)', 'null::timestamptz', disputed, 'd.charge_id', 'max(d.id)'),
  sum(
    'agent_payments',
    'count(*)',
    'min(p.settling_at)',
    `agent_payments p where ${undecided}`,
    'p.payer',
    'max(p.id)',
  ),
  sum('events', 'count(*)', 'min(e.received_at)', stuckEvents, 'e.type', 'max(e.received_at)'),
  sum('webhooks', 'count(*)', 'min(d.created_at)', failingWebhooks, shownName, 'max(d.created_at)'),
  sum('mails', 'count(*)', 'min(m.created_at)', failedMails, 'm.kind', 'max(m.created_at)'),
]

async function readSums({ pool }: Database): Promise<Finding[]> {
  const { rows } = await pool.query<Sum>(sums.map((one) => `(${one})`).join(' union all '))
  return rows
    .filter(({ n }) => n > 0)
    .map(({ key, n, since, names, mark }) => {
      const { title, detail, ...text } = sumTexts[key]!
      return { key, ...text, title: title(n), detail: detail(names ?? ''), count: n, since, mark: `${n} ${mark}` }
    })
}

async function readUpstreamFindings({ pool }: Database): Promise<Finding[]> {
  const { rows } = await pool.query<{ id: string; state: string; changed: Date; drift: string | null; seen: Date }>(
    `select u.id, u.state, u.changed_at as changed, min(d.seen_at) as seen,
       string_agg(d.operation || ': ' || d.problem, '; ' order by d.operation) as drift
     from upstreams u left join upstream_drift d on d.upstream_id = u.id and d.version = u.published
     where u.state = 'paused' or d.operation is not null group by u.id order by u.id`,
  )
  return rows.flatMap(({ id, state, changed, drift, seen }): Finding[] => {
    const of = { count: 1, link: { to: `/supply/upstreams/${id}`, label: 'Open upstream' } }
    const paused: Finding = {
      ...of,
      key: `paused:${id}`,
      title: `Upstream ${id} is paused`,
      detail: 'Its tools are not offered.',
      todo: 'Resume it under Upstreams when it is ready.',
      since: changed,
      mark: changed.toISOString(),
    }
    const differs: Finding = {
      ...of,
      key: `changed:${id}`,
      title: `Upstream ${id} has changed`,
      detail: (drift ?? '').slice(0, 500),
      todo: 'Compare its description with its responses, and publish a new version.',
      since: seen,
      mark: drift ?? '',
    }
    return [...(state === 'paused' ? [paused] : []), ...(drift === null ? [] : [differs])]
  })
}

type Served = Record<string, { problem: string | null }>

/** What a running server says it cannot serve: most often a secret that it lacks. Times are the machine's. */
async function readServerFindings({ pool }: Database): Promise<Finding[]> {
  const { rows } = await pool.query<{ name: string; serves: Served }>(
    `select name, serves from upstream_servers where seen_at > clock_timestamp() - interval '30 seconds' order by name`,
  )
  const problems = rows.flatMap(({ name, serves }) =>
    Object.entries(serves).flatMap(([id, { problem }]) => (problem === null ? [] : [{ id, name, problem }])),
  )
  return [...Map.groupBy(problems, ({ id }) => id)].map(([id, of]) => ({
    key: `unserved:${id}`,
    title: `${many(of.length, 'server does', 'servers do')} not serve upstream ${id}`,
    detail: of.map(({ name, problem }) => `${name}: ${problem}`).join('; '),
    todo: 'Fix what the error names. If it is a setting, restart the server.',
    count: of.length,
    since: null,
    link: { to: '/health', label: 'Open health' },
    mark: of.map(({ problem }) => problem).join(),
  }))
}

async function readJobFindings({ pool }: Database): Promise<Finding[]> {
  const { rows: ready } = await pool.query<{ ready: boolean }>(
    `select to_regclass('graphile_worker.jobs') is not null as ready`,
  )
  if (!ready[0]!.ready) return []
  const { from, states } = channels.jobs
  // Three failures in a row are no chance.
  const { rows } = await pool.query<{ name: string; n: number; since: Date; error: string | null; attempts: number }>(
    `select j.task_identifier as name, count(*)::int as n, min(j.created_at) as since, max(left(j.last_error, 200)) as error,
       max(j.attempts)::int as attempts
     from ${from} where (${states.failed}) or (${states.retrying} and j.attempts >= 3) group by 1 order by 1`,
  )
  return rows.map(({ name, n, since, error }) => ({
    key: `job:${name}`,
    title: `Job ${name} fails`,
    detail: error ?? 'It ended without a message.',
    todo: 'Fix the cause that the error names, then retry the job.',
    count: n,
    since,
    link: { to: '/delivery?channel=jobs', label: 'Open jobs' },
    mark: error ?? '',
  }))
}

async function readCheckFindings(db: Database): Promise<Record<'broken' | 'doctor', Finding[]>> {
  const runs = await readCheckRuns(db.kysely)
  const found = runs.flatMap(({ name, lines }): Finding[] => {
    const wrong = lines.filter(({ level }) => level === 'wrong').map(({ text }) => text)
    if (wrong.length === 0) return []
    const doctor = name === 'doctor'
    return [
      {
        key: `check:${name}`,
        title: doctor
          ? `The doctor found ${many(wrong.length, 'problem')}`
          : `${many(wrong.length, 'check')} failed: ${name === 'invariants' ? 'credits' : 'billing'}`,
        detail: wrong.slice(0, 3).join(' · ').slice(0, 500),
        todo: doctor
          ? 'Each finding says what to do.'
          : 'Look at the accounts named here. If money is affected, stop sales.',
        count: wrong.length,
        since: null,
        link: { to: '/health', label: 'Open health' },
        mark: wrong.join('\n'),
      },
    ]
  })
  return {
    broken: found.filter(({ key }) => key !== 'check:doctor'),
    doctor: found.filter(({ key }) => key === 'check:doctor'),
  }
}
