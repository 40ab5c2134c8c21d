import { readReceipt } from '../receipt.ts'
import { type Input, requestOf } from '../request.ts'
import { send } from '../send.ts'
import { type ApiTool, readTools } from './api-document.ts'
import type { Call } from './command.ts'
import { addressOf, dataToken } from './credentials.ts'
import { CliError } from './exit-codes.ts'
import { out, printJson, printTable } from './print.ts'
import { clientOf, MOST_WAIT_MS, printRows, tell } from './rows.ts'

export async function listTools({ globals }: Call): Promise<void> {
  const tools = await readTools(await addressOf(globals))
  const shown = tools.map(({ name, title, inputs, deprecated, description }) => ({
    name,
    title: deprecated ? `${title} (deprecated)` : title,
    inputs: [...inputs].map(([input, { required }]) => (required ? input : `[${input}]`)),
    price: /\n\nPrice: (.*)\.$/.exec(description)?.[1] ?? null,
  }))
  if (globals.json) return printJson(shown)
  printTable(
    ['name', 'about', 'price'],
    shown.map(({ name, title, price }) => [name, title, price]),
  )
}

/** Calls any tool of the server with `--name value` for each input, or all of them as JSON with `--input`. */
export async function callTool(call: Call): Promise<void> {
  const tools = await readTools(await addressOf(call.globals))
  const tool = tools.find(({ name }) => name === call.positionals[0])
  if (!tool)
    throw new CliError(
      'notFound',
      `There is no tool ${call.positionals[0]}.`,
      'finmeter tools list shows them.',
      'unknown_tool',
    )
  const input = { ...wholeInput(call.options.input), ...readInputs(tool, call.others) }
  const missing = [...tool.inputs].filter(([name, { required }]) => required && input[name] === undefined)
  if (missing.length > 0)
    throw new CliError('usage', `${tool.name} needs ${missing.map(([name]) => `--${name}`).join(' and ')}.`)
  if (tool.kind === 'table') return printRows(call, tool as never, input)
  const client = await clientOf(call)
  if (call.options['dry-run']) return printJson(await client.dryRun(tool as never, input))
  if (tool.kind === 'body') return printBody(call, tool, input)
  const { data, receipt } = await client.value<object, unknown>(tool as never, input)
  printJson(data)
  tell(receipt)
}

async function printBody({ globals }: Call, tool: ApiTool, input: Record<string, unknown>): Promise<void> {
  const transport = { fetch, key: await dataToken(globals), options: { maxWaitMs: MOST_WAIT_MS } }
  const asked = requestOf(await addressOf(globals), tool, input as Input, {})
  const { text, receipt } = await send(transport, asked, {}, async (response) => ({
    text: await response.text(),
    receipt: readReceipt(response.headers),
  }))
  const data = parsed(text)
  if (data === undefined) out(`${text}\n`)
  else printJson(data)
  tell(receipt)
}

function wholeInput(text: string | boolean | undefined): Record<string, unknown> {
  if (text === undefined) return {}
  const value = parsed(String(text))
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new CliError('usage', '--input needs a JSON object.', `For example --input '{"symbol":"AAPL"}'.`)
  return value as Record<string, unknown>
}

function readInputs(tool: ApiTool, others: Record<string, string>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(others).map(([name, text]) => {
      const input = tool.inputs.get(name) ?? tool.inputs.get(name.replaceAll('-', '_'))
      const known = [...tool.inputs.keys()].map((one) => `--${one}`).join(', ')
      if (!input) throw new CliError('usage', `${tool.name} has no input ${name}.`, `It has ${known || 'none'}.`)
      return [tool.inputs.has(name) ? name : name.replaceAll('-', '_'), inputOf(text, input.types)]
    }),
  )
}

/** The text as what the schema asks for. What does not fit is sent as it is, and the server names the mistake. */
function inputOf(text: string, types: string[]): unknown {
  if (types.includes('array') && !text.startsWith('[')) return text.split(',').map((part) => part.trim())
  if (types.includes('string') && !types.includes('array')) return text
  return parsed(text) ?? text
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
