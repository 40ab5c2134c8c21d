/**
 * What the conformance suite starts as "the client", with the address of its server as last argument: it does through a
 * running product's own routes what a person does in the playground. FINMETER_URL and FINMETER_TOKEN say where and as whom.
 */
import { randomUUID } from 'node:crypto'

const { FINMETER_URL, FINMETER_TOKEN, MCP_CONFORMANCE_CONTEXT } = process.env
const address = process.argv.at(-1)!
const path = `/api/playground/servers/suite-${randomUUID().slice(0, 8)}`

interface Tool {
  name: string
  inputSchema: { properties?: Record<string, { type?: string }>; required?: string[] }
}
interface Wanted {
  name: string
  arguments: unknown
}

async function ask<T>(method: string, what: string, body?: unknown): Promise<T> {
  const answer = await fetch(`${FINMETER_URL}${path}${what}`, {
    method,
    headers: { authorization: `Bearer ${FINMETER_TOKEN}`, 'content-type': 'application/json' },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  const { success, data, error } = await answer.json()
  if (!success) throw new Error(`${method} ${what}: ${answer.status} ${error}`)
  return data
}

const call = ({ name, arguments: args }: Wanted) =>
  ask('POST', `/tools/${encodeURIComponent(name)}/call`, { arguments: args })

/** Arguments that a tool's schema accepts, for scenarios that do not name any. */
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

await ask('POST', '/connect', { command: address })
try {
  const { tools } = await ask<{ tools: Tool[] }>('GET', '/tools')
  const { toolCalls }: { toolCalls?: Wanted[] } = JSON.parse(MCP_CONFORMANCE_CONTEXT ?? '{}')
  for (const wanted of toolCalls ?? tools.map((tool) => ({ name: tool.name, arguments: sample(tool) })))
    await call(wanted)
  const { resources } = await ask<{ resources: { uri: string }[] }>('GET', '/resources')
  for (const { uri } of resources) await ask('POST', '/resources/get', { uri })
  const { prompts } = await ask<{ prompts: { name: string }[] }>('GET', '/prompts')
  for (const { name } of prompts) await ask('POST', '/prompts/get', { name })
} finally {
  await ask('POST', '/disconnect')
}
