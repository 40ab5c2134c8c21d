import { Client } from '../client.ts'
import { getUsage } from '../operations.gen.ts'
import type { Call } from './command.ts'
import { addressOf, loginToken } from './credentials.ts'
import { printFacts, printJson } from './print.ts'
import { productApi } from './request.ts'

interface Profile {
  user: { email: string }
  workspace: { id: string; name: string; role: string }
}

/** Who a token acts for. Throws FinmeterError. */
export async function readPerson(url: string, token: string) {
  const { user, workspace } = await productApi<Profile>(url, token, 'GET', '/api/auth/profile')
  return { url, email: user.email, workspace: workspace.name, workspaceId: workspace.id, role: workspace.role }
}

/** Who is logged in; with an API key, whether the server accepts it. */
export async function whoami({ globals }: Call): Promise<void> {
  const url = await addressOf(globals)
  let facts: Record<string, string>
  if (globals.apiKey) {
    await new Client({ key: globals.apiKey.value, url }).value(getUsage, {})
    facts = { url, credential: `API key of ${globals.apiKey.from}` }
  } else facts = await readPerson(url, await loginToken(url))
  if (globals.json) printJson(facts)
  else printFacts(facts)
}
