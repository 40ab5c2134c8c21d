import { z } from 'zod'
import { MOST_HOLD_SECONDS } from '#contract/meter-door.ts'
import { hostOf } from '../../net/checked-addresses.ts'
import { cacheKeys, cacheProblems, operationCacheKeys } from './cache/cache-terms.ts'
import { headerName, isUncapped, type Price, type PriceRule, price, priceProblem } from './manifest-price.ts'
import { errorText } from './mcp/error-texts.ts'

/**
 * A variable in the environment of the servers, whose value is never stored (`env:` in front is how the command writes it), or
 * `stored:` and a name in the secret store.
 */
const secret = z
  .string()
  .transform((text) => text.replace(/^env:/, ''))
  .pipe(
    z.string().regex(/^(stored:)?[A-Z][A-Z0-9_]{0,99}$/, {
      error:
        'expected the name of an environment variable, such as ACME_KEY, or of a stored secret, such as stored:ACME_KEY',
    }),
  )
const text = (most: number) => z.string().trim().min(1).max(most)
const count = z.int().min(1)
/** Without a prototype: `constructor` may be the name of somebody's tool. */
const byName = <T extends z.ZodType>(value: T) =>
  z.record(z.string(), value).transform((given): typeof given => Object.assign(Object.create(null), given))
const host = z.string().regex(/^[A-Za-z0-9.:-]{1,253}$/, { error: 'expected a host name or an address, without port' })

const auth = z.union(
  [
    z.strictObject({ header: headerName, secret, prefix: z.string().max(50).default('') }),
    z.strictObject({ query: text(100), secret }),
    z.strictObject({ bearer: secret }),
    z.strictObject({ basic: z.strictObject({ user: text(200), secret }) }),
  ],
  { error: 'expected { header, secret }, { query, secret }, { bearer } or { basic: { user, secret } }' },
)

const statuses = z
  .array(z.string().regex(/^([2-5]xx|[2-5]\d\d)$/, { error: 'expected a status such as 2xx or 404' }))
  .min(1)
const timeoutMs = z.int().min(100).max(120_000)
const streamMs = z.int().min(1_000).max(3_600_000)
/** Names (in any case) or price ids of the plans that may call it; empty: every account. */
const plans = z.array(z.string().trim().min(1).max(100))
/** For calls whose work is done elsewhere (docs/meter-door.md). Without defaults, so that only what is said is stored. */
const holdTerms = {
  hold_seconds: z.int().min(1).max(MOST_HOLD_SECONDS).optional(),
  /** Of streams, too. */
  unsettled: z.enum(['release', 'charge']).optional(),
}
const toolName = z
  .string()
  .regex(/^[a-z][a-z0-9_]{0,62}$/, { error: 'expected lower case letters, digits and underscores' })
const mcp = z.union([z.boolean(), z.strictObject({ title: text(120).optional(), description: text(1_024).optional() })])

const defaults = z.strictObject({
  /** Without it, an operation is published only with a price of its own. */
  credits: price.optional(),
  timeout_ms: timeoutMs.default(10_000),
  response_mb: z.number().min(0.001).max(50).default(5),
  request_kb: z.int().min(1).max(1_024).default(256),
  charge: statuses.default(['2xx']),
  plans: plans.default([]),
  ...holdTerms,
  /** For the GET operations that do not stream. */
  ...cacheKeys,
  /** `get`: every GET operation, and what `operations` names. `named`: only what `operations` names. */
  publish: z.enum(['get', 'named']).default('get'),
  /** By default over MCP too, unless there are too many operations for a list that models read. */
  mcp: z.boolean().optional(),
})

const operation = z.strictObject({
  publish: z.boolean().default(true),
  /** The tool's name; absent: made from the ids of upstream and operation. */
  name: toolName.optional(),
  title: text(120).optional(),
  description: text(1_024).optional(),
  credits: price.optional(),
  mcp: mcp.optional(),
  /** The answer is passed on as it arrives, for at most `stream_ms`. */
  stream: z.boolean().default(false),
  stream_ms: streamMs.default(300_000),
  timeout_ms: timeoutMs.optional(),
  response_mb: defaults.shape.response_mb.unwrap().optional(),
  charge: statuses.optional(),
  plans: plans.optional(),
  /** `encode`: values of this path parameter may have slashes, which are sent as %2F. */
  inputs: byName(z.strictObject({ slashes: z.literal('encode') })).optional(),
  ...holdTerms,
  ...operationCacheKeys,
})

const limits = z.strictObject({
  concurrency: z.int().min(1).max(10_000).default(50),
  breaker: z
    .strictObject({
      errors: count.default(20),
      within_s: count.max(3_600).default(10),
      rest_s: count.max(3_600).default(5),
    })
    .prefault({}),
})

export const upstreamId = z
  .string()
  .regex(/^[a-z][a-z0-9-]{0,30}$/, { error: 'expected lower case letters, digits and hyphens, a letter first' })

const common = {
  id: upstreamId,
  name: text(100).optional(),
  auth: auth.optional(),
  /** The hosts that may have private addresses, and be asked without TLS. */
  private_hosts: z.array(host).default([]),
  defaults: defaults.prefault({}),
  operations: byName(operation).prefault({}),
  limits: limits.prefault({}),
}

const address = z
  .url({ protocol: /^https?$/, error: 'expected an http or https address' })
  .superRefine((given, context) => {
    const url = URL.parse(given)
    if (url && (url.username || url.password || url.search || url.hash))
      context.addIssue({ code: 'custom', message: 'expected an address without credentials, query or fragment' })
  })

const openapi = z.strictObject({
  kind: z.literal('openapi'),
  ...common,
  /** A file beside the manifest, or an address. */
  document: text(2_000),
  base: address,
  /** Headers of the upstream's answers that customers get besides the usual ones. */
  response_headers: z.array(headerName.toLowerCase()).max(30).default([]),
})

/** OAuth client credentials (RFC 6749, 4.4). */
const oauth = z.strictObject({
  oauth: z.strictObject({ token_url: address, client_id: text(200), secret, scope: text(500).optional() }),
})

const prompt = operation.pick({
  publish: true,
  name: true,
  title: true,
  description: true,
  credits: true,
  timeout_ms: true,
  plans: true,
})

/** Without a section, none is published: a price for calls is no reason to sell what a server may say in prompts and files. */
const offers = {
  prompts: z
    .strictObject({
      /** Without it, a prompt is published only with a price of its own. */
      credits: price.optional(),
      plans: plans.optional(),
      named: byName(prompt).prefault({}),
    })
    .optional(),
  resources: z
    .strictObject({
      credits: price,
      plans: plans.optional(),
      timeout_ms: timeoutMs.optional(),
      /** All by default. */
      only: z.array(text(2_000)).optional(),
    })
    .optional(),
}

/** Texts of results that are errors, for servers that do not say `isError`. Without a default, so that only what is said is stored. */
const errorTexts = { error_texts: z.array(errorText).max(20).optional() }

/** Results of MCP tools have neither headers nor statuses, and are not streamed. */
const mcpServer = z.strictObject({
  kind: z.literal('mcp'),
  ...common,
  /** Its address for streamable HTTP. */
  base: address,
  auth: z
    .union([auth, oauth], {
      error:
        'expected { header, secret }, { query, secret }, { bearer }, { basic: { user, secret } } or { oauth: { token_url, client_id, secret } }',
    })
    .optional(),
  defaults: defaults
    .omit({ charge: true })
    .extend({
      /** `all`: every tool. `named`: only what `operations` names. */
      publish: z.enum(['all', 'named']).default('all'),
      ...errorTexts,
    })
    .prefault({}),
  operations: byName(
    operation.omit({ stream: true, stream_ms: true, charge: true, response_mb: true, inputs: true }).extend(errorTexts),
  ).prefault({}),
  ...offers,
  /** Keeps a session for each customer between calls, for servers that remember something in it. */
  stateful: z.boolean().default(false),
})

type Unrefined = z.output<typeof openapi> | z.output<typeof mcpServer>

/** The prices of a manifest that are rules, with where they stand. */
function rulesOf(manifest: Unrefined): { path: string[]; rule: PriceRule }[] {
  const { defaults, operations, ...more } = manifest
  const { prompts, resources } = 'stateful' in more ? more : {}
  const prices: [string[], Price | undefined][] = [
    [['defaults', 'credits'], defaults.credits],
    ...Object.entries(operations).map(([id, own]): [string[], Price | undefined] => [
      ['operations', id, 'credits'],
      own.credits,
    ]),
    [['prompts', 'credits'], prompts?.credits],
    ...Object.entries(prompts?.named ?? {}).map(([name, own]): [string[], Price | undefined] => [
      ['prompts', 'named', name, 'credits'],
      own.credits,
    ]),
    [['resources', 'credits'], resources?.credits],
  ]
  return prices.flatMap(([path, rule]) => (typeof rule === 'object' ? [{ path, rule }] : []))
}

/** The prices by rows that say nothing of answers without them, as keys. Only versions of earlier releases have any. */
export const uncappedPrices = (manifest: Manifest): string[] =>
  rulesOf(manifest).flatMap(({ path, rule }) => (isUncapped(rule) ? [path.join('.')] : []))

/** `upstreams/<id>.yaml`. */
export const manifestSchema = z
  .discriminatedUnion('kind', [openapi, mcpServer])
  .superRefine((manifest, context) => {
    const { kind, base, private_hosts } = manifest
    for (const { path, rule } of rulesOf(manifest)) {
      const problem = priceProblem(rule, kind)
      if (problem) context.addIssue({ code: 'custom', path, message: problem })
    }
    const url = URL.parse(base)
    if (url?.protocol === 'http:' && !private_hosts.includes(hostOf(url)))
      context.addIssue({
        code: 'custom',
        path: ['base'],
        message: `without TLS only hosts in private_hosts are asked; add ${hostOf(url)} there if it is in your own network`,
      })
  })
  .superRefine(cacheProblems)

export type Manifest = z.output<typeof manifestSchema>
export type McpManifest = Extract<Manifest, { kind: 'mcp' }>
export type OpenApiManifest = Extract<Manifest, { kind: 'openapi' }>
/** What an operation's manifest may say, whatever its kind. */
export type OperationSettings = Partial<z.output<typeof operation>>
/** What a manifest says of an operation, of any kind. */
export function settingsOf(manifest: Manifest, id: string): OperationSettings | undefined {
  if (manifest.kind !== 'mcp' || !id.includes('/')) return manifest.operations[id]
  if (!id.startsWith('prompts/')) return manifest.resources
  const { named = {}, ...all } = manifest.prompts ?? {}
  return { ...all, ...named[id.slice('prompts/'.length)] }
}
export type Auth = z.output<typeof auth>
export type OAuth = z.output<typeof oauth>
export type OAuthClient = OAuth['oauth']
