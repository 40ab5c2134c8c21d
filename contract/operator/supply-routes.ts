import { z } from 'zod'
import { act, anyRole, operatorRoute, ownerOnly } from './route.ts'

const upstreamId = z.string().regex(/^[a-z][a-z0-9-]{0,30}$/)
const version = z.coerce.number().int().min(1).max(1_000_000_000)
const time = z.iso.datetime()
/** Of an upstream: `upstreams/<id>.yaml` as an object. The server checks each key and says what is wrong. */
const manifest = z.record(z.string(), z.unknown())

/** What one running server says of an upstream, at most 30 seconds ago. Figures are since it began to serve the version. */
export const upstreamServer = z.object({
  name: z.string(),
  version: z.int().nullable(),
  /** Why it does not serve the published version; null: it does. */
  problem: z.string().nullable(),
  breaker: z.enum(['closed', 'open', 'trying']).nullable(),
  calls: z.int(),
  failed: z.int(),
  p50_ms: z.int().nullable(),
  p95_ms: z.int().nullable(),
  since: time.nullable(),
})

/** What was noted about an operation of the served version. `definition`: an MCP server has changed it, and an operator has to agree. */
export const upstreamNote = z.object({
  operation: z.string(),
  problem: z.string(),
  kind: z.enum(['definition', 'answer']),
  times: z.int(),
  seen_at: time,
})

export const upstreamSummary = z.object({
  id: upstreamId,
  name: z.string(),
  kind: z.enum(['openapi', 'mcp']),
  state: z.enum(['draft', 'published', 'paused']),
  /** The version that is served, or would be after a pause; null: none yet. */
  published: z.int().nullable(),
  newest: z.int(),
  /** Published operations of the version that is served, or else of the newest. */
  operations: z.int(),
  changed_at: time,
  servers: z.array(upstreamServer),
  notes: z.array(upstreamNote),
})

export const servedOperation = z.object({
  id: z.string(),
  method: z.string(),
  path: z.string(),
  title: z.string(),
  /** The name of the tool. */
  tool: z.string(),
  price: z.string(),
  over_mcp: z.boolean(),
  plans: z.array(z.string()),
  /** JSON Schema of its inputs. */
  input: z.record(z.string(), z.unknown()),
  /** The description's own example of inputs. */
  example: z.record(z.string(), z.unknown()).nullable(),
})

export const upstreamVersion = z.object({ version: z.int(), created_at: time, operations: z.int() })

const source = z.discriminatedUnion('from', [
  z.object({ from: z.literal('text'), text: z.string().min(1) }),
  z.object({ from: z.literal('address'), address: z.url({ protocol: /^https?$/ }).max(2_000) }),
  /** The MCP server at `base`. */
  z.object({ from: z.literal('server') }),
  /** As it was stored with a version. */
  z.object({ from: z.literal('version'), id: upstreamId, version }),
])

/** One operation of a description, and what the manifest makes of it. */
export const readOperation = z.object({
  id: z.string(),
  method: z.string(),
  path: z.string(),
  title: z.string(),
  description: z.string(),
  inputs: z.array(z.string()),
  /** Why it is not published; null: it is. */
  reason: z.string().nullable(),
  /** It cannot be published, whatever the manifest says. */
  impossible: z.boolean(),
  tool: z.string().nullable(),
  price: z.string().nullable(),
  over_mcp: z.boolean(),
})

const secretName = z
  .string()
  .regex(/^[A-Z][A-Z0-9_]{0,99}$/, 'Use capital letters, digits and underscores, such as ACME_KEY.')

const noUpstream = ['invalid_parameter', 'forbidden', 'second_factor_required', 'not_found', 'conflict'] as const
const changed = z.object({ upstream: upstreamSummary })
const ofUpstream = z.object({ id: upstreamId })
const state = <const P extends string, B extends z.ZodRawShape = Record<never, never>>(
  verb: P,
  summary: string,
  body?: B,
) =>
  operatorRoute({
    method: 'POST',
    path: `/operator/api/upstreams/{id}/${verb}`,
    roles: ownerOnly,
    fresh: true,
    summary,
    params: ofUpstream,
    body: act.extend((body ?? {}) as B),
    status: 200,
    data: changed,
    errors: noUpstream,
  })

/** APIs and MCP servers of the operator, and the credentials that they are sent. */
export const supplyRoutes = {
  listUpstreams: operatorRoute({
    method: 'GET',
    path: '/operator/api/upstreams',
    roles: anyRole,
    summary: 'The upstreams, with what each running server serves',
    status: 200,
    data: z.object({ upstreams: z.array(upstreamSummary) }),
    errors: [],
  }),
  getUpstream: operatorRoute({
    method: 'GET',
    path: '/operator/api/upstreams/{id}',
    roles: anyRole,
    summary: 'One upstream, its versions and the operations of one of them',
    params: ofUpstream,
    query: z.object({ version: version.optional() }),
    status: 200,
    data: z.object({
      upstream: upstreamSummary,
      versions: z.array(upstreamVersion),
      /** The one that was asked for, or served, or newest. */
      shown: z.object({
        version: z.int(),
        manifest,
        operations: z.array(servedOperation),
        /** Of the credential: how it is sent and its name, never its value; null: none. */
        credential: z.object({ name: z.string(), stored: z.boolean(), missing: z.boolean() }).nullable(),
      }),
    }),
    errors: ['invalid_parameter', 'not_found'],
  }),
  checkUpstream: operatorRoute({
    method: 'POST',
    path: '/operator/api/upstreams/check',
    roles: ownerOnly,
    fresh: true,
    summary: 'Reads a description and says what publishing it would do. It stores nothing',
    body: z.object({ source, manifest }),
    status: 200,
    data: z.object({
      /** Of the description that was read: publishing refuses another. */
      digest: z.string(),
      /** With what the description suggests for keys that were missing. */
      manifest,
      title: z.string(),
      /** The newest version of this id, which publishing must still find; null: the id is free. */
      newest: z.int().nullable(),
      operations: z.array(readOperation),
      /** What prevents publishing. */
      problems: z.array(z.string()),
      /** What the operator should know. */
      notes: z.array(z.string()),
    }),
    errors: ['invalid_parameter', 'forbidden', 'second_factor_required', 'not_found'],
  }),
  addUpstream: operatorRoute({
    method: 'POST',
    path: '/operator/api/upstreams',
    roles: ownerOnly,
    fresh: true,
    summary: 'Stores a checked version and, unless it is a draft, serves it',
    body: act.extend({
      source,
      manifest,
      digest: z.string().length(64),
      newest: z.int().nullable(),
      draft: z.boolean().default(false),
    }),
    status: 200,
    data: z.object({ upstream: upstreamSummary, version: z.int() }),
    errors: noUpstream,
  }),
  publishUpstream: operatorRoute({
    method: 'POST',
    path: '/operator/api/upstreams/{id}/publish',
    roles: ownerOnly,
    fresh: true,
    summary: 'Serves a stored version, an earlier one too',
    params: ofUpstream,
    body: act.extend({ version }),
    status: 200,
    data: changed,
    errors: noUpstream,
  }),
  undoUpstream: state('undo', 'Serves the version before `version`, which must still be the one that is served', {
    version,
  }),
  pauseUpstream: state('pause', 'Stops serving it; its versions stay'),
  resumeUpstream: state('resume', 'Serves it again'),
  removeUpstream: operatorRoute({
    method: 'POST',
    path: '/operator/api/upstreams/{id}/remove',
    roles: ownerOnly,
    fresh: true,
    summary: 'Removes it with all its versions; receipts keep the names of its tools',
    params: ofUpstream,
    body: act,
    status: 200,
    data: z.object({ removed: z.literal(true) }),
    errors: noUpstream,
  }),
  tryUpstream: operatorRoute({
    method: 'POST',
    path: '/operator/api/upstreams/{id}/try',
    roles: ownerOnly,
    fresh: true,
    summary: 'Sends one real request to the upstream as the operator. Nobody is charged, and there is no receipt',
    params: ofUpstream,
    body: z.object({ version, operation: z.string().max(2_000), input: z.record(z.string(), z.unknown()) }),
    status: 200,
    data: z.object({
      /** Null: there is no usable response, and `problem` says why. */
      status: z.int().nullable(),
      problem: z.string().nullable(),
      headers: z.record(z.string(), z.string()),
      /** The first 64 KiB, as text. */
      body: z.string(),
      bytes: z.int(),
      duration_ms: z.int(),
      /** What a customer would pay for it; null: the price of a stream is known when it ends. */
      credits: z.int().nullable(),
    }),
    errors: ['invalid_parameter', 'forbidden', 'second_factor_required', 'not_found'],
  }),
  compareUpstream: operatorRoute({
    method: 'POST',
    path: '/operator/api/upstreams/{id}/compare',
    roles: ownerOnly,
    fresh: true,
    summary: 'Asks an MCP server what it offers now, beside what was approved',
    params: ofUpstream,
    status: 200,
    data: z.object({
      /** Of what it offers now: approving refuses anything else. */
      digest: z.string(),
      version: z.int(),
      changes: z.array(
        z.object({
          name: z.string(),
          change: z.enum(['changed', 'new', 'gone']),
          parts: z.array(z.object({ part: z.string(), approved: z.string().nullable(), now: z.string().nullable() })),
        }),
      ),
    }),
    errors: ['invalid_parameter', 'forbidden', 'second_factor_required', 'not_found', 'conflict'],
  }),
  listSecrets: operatorRoute({
    method: 'GET',
    path: '/operator/api/upstream-secrets',
    roles: anyRole,
    summary: 'Names and dates of stored credentials, never values',
    status: 200,
    data: z.object({
      secrets: z.array(
        z.object({ name: z.string(), created_at: time, changed_at: time, used_by: z.array(z.string()) }),
      ),
    }),
    errors: [],
  }),
  setSecret: operatorRoute({
    method: 'POST',
    path: '/operator/api/upstream-secrets',
    roles: ownerOnly,
    fresh: true,
    summary: 'Stores a credential, encrypted, or replaces it. It is never shown again',
    body: act.extend({ name: secretName, value: z.string().min(1).max(8_000) }),
    status: 200,
    data: z.object({ stored: z.literal(true) }),
    errors: ['invalid_parameter', 'forbidden', 'second_factor_required', 'conflict'],
  }),
  removeSecret: operatorRoute({
    method: 'POST',
    path: '/operator/api/upstream-secrets/remove',
    roles: ownerOnly,
    fresh: true,
    summary: 'Removes a credential that no served version uses',
    body: act.extend({ name: secretName }),
    status: 200,
    data: z.object({ removed: z.literal(true) }),
    errors: ['invalid_parameter', 'forbidden', 'second_factor_required', 'conflict'],
  }),
}
