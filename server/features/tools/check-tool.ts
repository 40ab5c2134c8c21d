import { z } from 'zod'
import { MOST_HOLD_SECONDS } from '#contract/meter-door.ts'
import type { InputPlace, Tool } from './define-tool.ts'
import { namesOf } from './input/input-names.ts'
import { acts, mostOf } from './price.ts'
import { reservedUpstreamIds } from './reserved-upstream-ids.ts'

/** A hold lasts at most an hour. */
const MOST_STREAM_MS = 50 * 60_000
const NAME = /^[a-z][a-z0-9_]{0,62}$/
const UPSTREAM_ID = /^[a-z][a-z0-9-]{0,30}$/
/** An input in one of these would let one credential, or one framing of the request, pass for another. */
const OWN_HEADERS =
  /^(authorization|proxy-.*|x-api-key|cookie|host|connection|content-.*|transfer-encoding|te|trailer|upgrade|expect|idempotency-key|finmeter-.*|traceparent|tracestate|x-request-id|x-forwarded-.*|forwarded|accept-encoding)$/
const HEADER_NAME = /^[a-z0-9!#$%&'*+.^_`|~-]+$/

/** Throws an Error that names the tool and what is wrong with its definition. */
export function checkTool(tool: Tool): void {
  if (!NAME.test(tool.name)) throw new Error(`Tool name ${tool.name}: use lower case letters, digits and underscores.`)
  const fail = (problem: string): never => {
    throw new Error(`Tool ${tool.name}: ${problem}.`)
  }
  checkInput(tool, fail)
  checkRest(tool, fail)
  checkPrice(tool, fail)
  if (tool.upstream) checkUpstream(tool, fail)
  if (tool.charge?.some((status) => !/^([1-5]xx|[1-5]\d\d)$/.test(status)))
    fail('charge has statuses such as 2xx or 404')
}

type Fail = (problem: string) => never

function checkInput({ input, example }: Tool, fail: Fail): void {
  if ('jsonSchema' in input) return
  if (!(input.def.catchall instanceof z.ZodNever)) fail('input must be z.strictObject')
  if (example && !input.safeParse(example).success) fail('example is no input')
}

function checkRest({ input, rest }: Tool, fail: Fail): void {
  if (!rest) return
  if (!rest.path.startsWith('/v1/')) fail('REST paths begin with /v1/')
  const names = namesOf(input).map((name) => rest.names?.[name] ?? name)
  const twice = names.find((name, at) => names.indexOf(name) !== at)
  if (twice !== undefined) fail(`two inputs are called ${twice} over REST`)
  for (const name of rest.path.matchAll(/\{([^{}/]+)\}/g))
    if (!names.includes(name[1]!)) fail(`path parameter ${name[1]} is not an input`)
  for (const [name, place] of Object.entries(rest.places ?? {}) as [string, InputPlace][]) {
    const header = rest.names?.[name] ?? name
    if (place === 'header' && (!HEADER_NAME.test(header) || OWN_HEADERS.test(header)))
      fail(`no input can travel in the header ${header}`)
  }
}

function checkPrice(tool: Tool, fail: Fail): void {
  const { kind, credits: rule, streamMs, holdSeconds = 1 } = tool
  const numbers = Object.entries(rule).filter(([name]) => ['credits', 'per', 'perRows', 'most'].includes(name))
  if (
    !numbers.every(([name, value]) => Number.isSafeInteger(value) && Number(value) >= (name.startsWith('per') ? 1 : 0))
  )
    fail('the numbers of a price are whole')
  const ofBody = rule.kind === 'unit' || rule.kind === 'kib' || 'at' in rule
  if (ofBody && kind !== 'body') fail(`a price by ${rule.kind} is for kind body`)
  if (kind === 'body' && 'perRows' in rule) fail('the rows of a body are found by a JSON pointer')
  if ('at' in rule && rule.at !== '' && !rule.at.startsWith('/')) fail('at is a JSON pointer')
  if (streamMs !== undefined && streamMs > MOST_STREAM_MS) fail(`a stream lasts at most ${MOST_STREAM_MS} ms`)
  if (!Number.isInteger(holdSeconds) || holdSeconds < 1 || holdSeconds > MOST_HOLD_SECONDS)
    fail(`a hold lasts 1 to ${MOST_HOLD_SECONDS} seconds`)
  if (streamMs !== undefined && mostOf(rule) === undefined) fail('a stream needs a highest price')
  if (acts(tool) && mostOf(rule) === undefined) fail('work that cannot be taken back needs a highest price (most)')
}

function checkUpstream({ upstream, rest }: Tool, fail: Fail): void {
  const { id } = upstream!
  if (!UPSTREAM_ID.test(id) || reservedUpstreamIds.has(id)) fail(`an upstream cannot be called ${id}`)
  if (rest && !rest.path.startsWith(`/v1/${id}/`)) fail(`its path begins with /v1/${id}/`)
}
