import type { Call } from './command.ts'
import { addressOf, loginToken } from './credentials.ts'
import { CliError } from './exit-codes.ts'
import { note, printJson, printTable, printText } from './print.ts'
import { productApi } from './request.ts'

interface Key {
  id: string
  name: string
  apiKey: string
  created_at: string
  last_used_at: string | null
  usage_count: number
  monthly_budget: number | null
}

/** Keys are a person's to manage, so an API key cannot do it. */
async function api(call: Call) {
  const url = await addressOf(call.globals)
  const token = await loginToken(url)
  return <T>(method: string, path: string, body?: object) => productApi<T>(url, token, method, path, body)
}

export async function listKeys(call: Call): Promise<void> {
  const { apiKeys } = await (await api(call))<{ apiKeys: Key[] }>('GET', '/api/keys')
  if (call.globals.json) return printJson(apiKeys)
  printTable(
    ['id', 'name', 'key', 'created', 'last used', 'calls', 'credits a month'],
    apiKeys.map((key) => [
      key.id,
      key.name,
      key.apiKey,
      key.created_at.slice(0, 10),
      key.last_used_at?.slice(0, 10),
      key.usage_count,
      key.monthly_budget,
    ]),
  )
}

/** The new key is the only output, so that it can be piped to where it belongs. */
export async function createKey(call: Call): Promise<void> {
  const { scopes, expires } = call.options
  const { apiKey } = await (await api(call))<{ apiKey: Key }>('POST', '/api/keys', {
    name: call.positionals[0],
    ...(scopes !== undefined && { scopes: String(scopes).split(',') }),
    ...(expires !== undefined && { expiresAt: timeOf(String(expires)) }),
    ...numbers(call, { monthlyBudget: 'monthly-credits', rateLimit: 'per-minute' }),
  })
  if (call.globals.json) return printJson(apiKey)
  printText(apiKey.apiKey)
  note(`This is the value of the key ${apiKey.name}. Store it now: it is not shown here again.`)
}

/** By id, or by a name that only one key has. */
export async function revokeKey(call: Call): Promise<void> {
  const [wanted] = call.positionals
  const ask = await api(call)
  const { apiKeys } = await ask<{ apiKeys: Key[] }>('GET', '/api/keys')
  const found = apiKeys.filter(({ id, name }) => id === wanted || name === wanted)
  const [key, another] = found
  if (!key) throw new CliError('notFound', `There is no key ${wanted}.`, 'finmeter keys list shows them.', 'not_found')
  if (another)
    throw new CliError('usage', `${found.length} keys have this name.`, 'Give the id from finmeter keys list instead.')
  await ask('DELETE', `/api/keys/${encodeURIComponent(key.id)}`)
  if (call.globals.json) printJson({ id: key.id, name: key.name, revoked: true })
  else note(`The key ${key.name} is revoked.`)
}

function numbers({ options }: Call, names: Record<string, string>): Record<string, number> {
  return Object.fromEntries(
    Object.entries(names).flatMap(([field, option]) => {
      if (options[option] === undefined) return []
      const value = Number(options[option])
      if (!Number.isInteger(value)) throw new CliError('usage', `--${option} needs a whole number.`)
      return [[field, value]]
    }),
  )
}

function timeOf(text: string): string {
  const time = new Date(text)
  if (Number.isNaN(time.getTime())) throw new CliError('usage', '--expires needs a date such as 2030-01-31.')
  return time.toISOString()
}
