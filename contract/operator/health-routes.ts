import { z } from 'zod'
import { act, anyRole, operatorRoute, ownerOnly } from './route.ts'

export const finding = z.object({
  /** The same as long as its cause lasts. */
  key: z.string(),
  /** What is wrong, with how many. */
  title: z.string(),
  /** Names and texts behind it. */
  detail: z.string(),
  /** What to do. */
  todo: z.string(),
  count: z.int(),
  since: z.iso.datetime(),
  /** The page of the console that shows it. */
  link: z.object({ to: z.string(), label: z.string() }).nullable(),
  /** Until the finding changes. */
  acknowledged: z.object({ by: z.string(), at: z.iso.datetime() }).nullable(),
})

const checkLine = z.object({ level: z.enum(['ok', 'wrong', 'note']), text: z.string() })
export type CheckLine = z.output<typeof checkLine>

const switchState = z.object({ set_by: z.string(), set_at: z.iso.datetime(), reason: z.string() })

export const mostBannerCharacters = 200
const acted = ['invalid_parameter', 'forbidden', 'second_factor_required', 'conflict'] as const

/** What needs attention, how the installation is, and what stops it on a bad day. */
export const healthRoutes = {
  listAttention: operatorRoute({
    method: 'GET',
    path: '/operator/api/attention',
    roles: anyRole,
    summary: 'What needs attention, those that nobody acknowledged first',
    status: 200,
    data: z.object({ findings: z.array(finding) }),
    errors: [],
  }),
  acknowledgeFinding: operatorRoute({
    method: 'POST',
    path: '/operator/api/attention/acknowledge',
    roles: ['owner', 'support', 'finance'],
    summary: 'Acknowledges a finding until it changes',
    body: act.extend({ key: z.string().min(1).max(200) }),
    status: 200,
    data: z.object({ acknowledged: z.literal(true) }),
    errors: [...acted, 'not_found'],
  }),
  getHealth: operatorRoute({
    method: 'GET',
    path: '/operator/api/health',
    roles: anyRole,
    summary: 'Checks, size and growth, instances, jobs, settings in force, backups',
    status: 200,
    data: z.object({
      checks: z.array(
        z.object({
          name: z.enum(['doctor', 'invariants', 'billing invariants']),
          ran_at: z.iso.datetime().nullable(),
          lines: z.array(checkLine),
        }),
      ),
      database: z.object({ bytes: z.int(), days: z.array(z.object({ day: z.iso.date(), bytes: z.int() })) }),
      instances: z.array(z.object({ name: z.string(), seen_at: z.iso.datetime(), problems: z.array(z.string()) })),
      jobs: z.array(z.object({ name: z.string(), last_run_at: z.iso.datetime().nullable() })),
      /** `value` is null for those that may hold a secret. */
      settings: z.array(
        z.object({ name: z.string(), about: z.string(), set: z.boolean(), value: z.string().nullable() }),
      ),
      backups: z.array(
        z.object({ kind: z.enum(['backup', 'drill']), at: z.iso.datetime(), ok: z.boolean(), detail: z.string() }),
      ),
    }),
    errors: [],
  }),
  getGoLive: operatorRoute({
    method: 'GET',
    path: '/operator/api/go-live',
    roles: anyRole,
    summary: 'What an installation needs before it sells, each checked now',
    status: 200,
    data: z.object({
      items: z.array(
        z.object({
          key: z.string(),
          label: z.string(),
          done: z.boolean(),
          found: z.string(),
          /** Null when it is done. */
          todo: z.string().nullable(),
        }),
      ),
    }),
    errors: [],
  }),
  getSwitches: operatorRoute({
    method: 'GET',
    path: '/operator/api/switches',
    roles: anyRole,
    summary: 'What is stopped or announced',
    status: 200,
    data: z.object({
      sales: switchState.nullable(),
      banner: switchState.extend({ text: z.string(), until: z.iso.datetime(), over: z.boolean() }).nullable(),
      upstreams: z.array(z.object({ id: z.string(), paused: z.boolean() })),
    }),
    errors: [],
  }),
  setSales: operatorRoute({
    method: 'POST',
    path: '/operator/api/switches/sales',
    roles: ownerOnly,
    fresh: true,
    summary: 'Stops or resumes checkout, top-ups and automatic top-ups. Subscribers go on',
    body: act.extend({ stopped: z.boolean() }),
    status: 200,
    data: z.object({ stopped: z.boolean() }),
    errors: acted,
  }),
  setBanner: operatorRoute({
    method: 'POST',
    path: '/operator/api/switches/banner',
    roles: ownerOnly,
    fresh: true,
    summary: 'Shows a text on every page of customers and visitors until a time; null takes it away',
    body: act.extend({
      banner: z
        .object({
          text: z
            .string()
            .trim()
            .min(1, 'Enter a text.')
            .max(mostBannerCharacters, `Write at most ${mostBannerCharacters} characters.`),
          until: z.iso.datetime('Write a time in UTC, such as 2026-12-01T12:00:00Z.'),
        })
        .nullable(),
    }),
    status: 200,
    data: z.object({ shown: z.boolean() }),
    errors: acted,
  }),
}
