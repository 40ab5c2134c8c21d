import { z } from 'zod'
import { act, anyRole, operatorRole, operatorRoute, ownerOnly } from './route.ts'

export const operatorSession = z.object({
  email: z.string(),
  role: operatorRole,
  shop_name: z.string(),
  /** To be sent as `x-csrf-token` with every change. */
  csrf_token: z.string(),
  expires_at: z.iso.datetime(),
  /** read_only: without a second factor this session changes nothing; stale: the proof is older than ten minutes. */
  second_factor: z.enum(['fresh', 'stale', 'read_only', 'not_needed']),
})

export const operatorEntry = z.object({
  id: z.int(),
  email: z.string(),
  role: operatorRole,
  /** Whether the person has opened the console. */
  entered: z.boolean(),
  added_by: z.string(),
  added_at: z.iso.datetime(),
})

export const logEntry = z.object({
  id: z.int(),
  at: z.iso.datetime(),
  operator: z.string(),
  action: z.string(),
  account_id: z.uuid().nullable(),
  account_name: z.string().nullable(),
  target: z.string().nullable(),
  reason: z.string(),
  before: z.record(z.string(), z.unknown()).nullable(),
  after: z.record(z.string(), z.unknown()).nullable(),
})

const cursor = { before: z.coerce.number().int().positive().optional() }

/** The operator's own session, the operators, and what they did. */
export const sessionRoutes = {
  getSession: operatorRoute({
    method: 'GET',
    path: '/operator/api/session',
    roles: anyRole,
    summary: 'The session of this cookie',
    status: 200,
    data: operatorSession,
    errors: [],
  }),
  endSession: operatorRoute({
    method: 'DELETE',
    path: '/operator/api/session',
    roles: anyRole,
    summary: 'Ends the session of this cookie',
    status: 200,
    data: z.object({ ended: z.literal(true) }),
    errors: [],
  }),
  listOperators: operatorRoute({
    method: 'GET',
    path: '/operator/api/operators',
    roles: anyRole,
    summary: 'The operators of the installation',
    status: 200,
    data: z.object({ operators: z.array(operatorEntry) }),
    errors: [],
  }),
  addOperator: operatorRoute({
    method: 'POST',
    path: '/operator/api/operators',
    roles: ownerOnly,
    fresh: true,
    summary: 'Adds an operator, or changes the role of one',
    body: act.extend({ email: z.email().max(254), role: operatorRole }),
    status: 200,
    data: z.object({ operator: operatorEntry }),
    errors: ['invalid_parameter', 'forbidden', 'second_factor_required', 'conflict'],
  }),
  removeOperator: operatorRoute({
    method: 'POST',
    path: '/operator/api/operators/{id}/remove',
    roles: ownerOnly,
    fresh: true,
    summary: 'Removes an operator and ends their sessions',
    params: z.object({ id: z.coerce.number().int().positive() }),
    body: act,
    status: 200,
    data: z.object({ removed: z.literal(true) }),
    errors: ['invalid_parameter', 'forbidden', 'second_factor_required', 'not_found', 'conflict'],
  }),
  trustFactor: operatorRoute({
    method: 'POST',
    path: '/operator/api/operators/{id}/trust-factor',
    roles: ownerOnly,
    fresh: true,
    summary: 'Lets the new second factor of another operator count at once',
    params: z.object({ id: z.coerce.number().int().positive() }),
    body: act,
    status: 200,
    data: z.object({ trusted: z.literal(true) }),
    errors: ['invalid_parameter', 'forbidden', 'second_factor_required', 'not_found'],
  }),
  listLog: operatorRoute({
    method: 'GET',
    path: '/operator/api/log',
    roles: anyRole,
    summary: 'What operators did, newest first',
    query: z.object({ account: z.uuid().optional(), ...cursor }),
    status: 200,
    data: z.object({ entries: z.array(logEntry), next: z.int().nullable() }),
    errors: ['invalid_parameter'],
  }),
}
