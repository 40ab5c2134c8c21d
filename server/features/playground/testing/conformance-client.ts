/**
 * Run by the conformance suite as "the client", with its server's URL as last argument: does through a running
 * product's routes what a person does in the playground. FINMETER_URL and FINMETER_TOKEN name the product and the
 * person.
 */
import { randomUUID } from 'node:crypto'

const { FINMETER_URL, FINMETER_TOKEN, MCP_CONFORMANCE_CONTEXT } = process.env
const address = process.argv.at(-1)!
const path = `/api/playground/servers/suite-${randomUUID().slice(0, 8)}`
const context: Context = JSON.parse(MCP_CONFORMANCE_CONTEXT ?? '{}')
/** Limits requests to a server that never accepts. */
const MAX_SIGN_INS = 3
let signIns = 0

interface Tool {
  name: string
  inputSchema: { properties?: Record<string, { type?: string }>; required?: string[] }
}
interface Context {
  toolCalls?: Wanted[]
  client_id?: string
  client_secret?: string
}
interface Result {
  resultType?: string
  inputRequests?: Record<string, unknown>
  requestState?: string
}
interface Wanted {
  name: string
  arguments: unknown
}

async function ask<T>(method: string, what: string, body?: unknown): Promise<T> {
  const answer = await fetch(`${FINMETER_URL}${what.startsWith('/api') ? what : path + what}`, {
    method,
    headers: { authorization: `Bearer ${FINMETER_TOKEN}`, 'content-type': 'application/json' },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  const { success, data, error, code } = await answer.json()
  if (code === 'sign_in_required' && signIns++ < MAX_SIGN_INS) {
    const connected = await signIn()
    return what === '/connect' ? (connected as T) : ask<T>(method, what, body)
  }
  if (!success) throw new Error(`${method} ${what}: ${answer.status} ${error}`)
  return data
}

/** A person's browser: opens the page, which redirects back with a response for us. */
async function signIn(): Promise<unknown> {
  const { url } = await ask<{ url: string }>('GET', '/sign-in')
  const back = new URL((await fetch(url, { redirect: 'manual' })).headers.get('location')!)
  return ask('POST', '/api/playground/sign-in', Object.fromEntries(back.searchParams))
}

/** Calls a tool, and accepts whatever it asks for. */
async function call({ name, arguments: args }: Wanted): Promise<void> {
  const send = (more: object = {}) =>
    ask<{ result: Result }>('POST', `/tools/${encodeURIComponent(name)}/call`, { arguments: args, ...more })
  const { result } = await send()
  if (result.resultType !== 'input_required') return
  const { inputRequests = {}, requestState } = result
  const yes = { action: 'accept', content: { confirmed: true } }
  const inputResponses = Object.fromEntries(Object.keys(inputRequests).map((id) => [id, yes]))
  await send({ inputResponses, ...(requestState !== undefined && { requestState }) })
}

/** Arguments that match a tool's schema, for scenarios that name none. */
function sample({ inputSchema: { properties = {}, required = [] } }: Tool): Record<string, unknown> {
  const values: Record<string, unknown> = {
    number: 3,
    integer: 3,
    boolean: true,
    string: 'text',
    object: {},
    array: [],
  }
  return Object.fromEntries(required.map((name) => [name, values[properties[name]?.type ?? 'string']]))
}

const { client_id: clientId, client_secret: clientSecret } = context
await ask('POST', '/connect', { command: address, ...(clientId && { clientId, clientSecret }) })
try {
  const { tools } = await ask<{ tools: Tool[] }>('GET', '/tools')
  const { toolCalls } = context
  for (const wanted of toolCalls ?? tools.map((tool) => ({ name: tool.name, arguments: sample(tool) })))
    await call(wanted)
  const { resources } = await ask<{ resources: { uri: string }[] }>('GET', '/resources')
  for (const { uri } of resources) await ask('POST', '/resources/get', { uri })
  const { prompts } = await ask<{ prompts: { name: string }[] }>('GET', '/prompts')
  for (const { name } of prompts) await ask('POST', '/prompts/get', { name })
} finally {
  await ask('POST', '/disconnect')
}
