import { hostOf, isPrivateHost } from '../../net/checked-addresses.ts'
import type { Manifest } from './manifest.ts'
import { parseManifest } from './read-manifest.ts'

export interface AddOptions {
  /** Without it, `base` is an MCP server. */
  document?: string
  id: string
  base: string
  /** Credits of each call. */
  price: string
  /** `header:X-Key=env:ACME_KEY`, `query:apikey=env:ACME_KEY`, `bearer=env:ACME_KEY` or `basic:user=env:ACME_KEY`; `stored:` for stored secrets. */
  auth?: string | undefined
  /** Only these, whatever their method. */
  operations?: string | undefined
  /** Credits of each prompt, and of each reading of a resource; absent: none is published. */
  prompts?: string | undefined
  resources?: string | undefined
  privateHosts?: string[] | undefined
}

/** The manifest that a command line stands for. Throws an Error that names the option. */
export function newManifest(options: AddOptions): Manifest {
  const { document, id, base, price, auth, operations, prompts, resources, privateHosts = [] } = options
  const url = URL.parse(base)
  if (document === undefined && !/^https?:$/.test(url?.protocol ?? ''))
    throw new Error(
      `${base} is no address of an MCP server. A server that is started by a command needs a gateway before it, such as: npx mcp-proxy --host 127.0.0.1 --port 8080 -- ${base}. Then add http://127.0.0.1:8080/mcp.`,
    )
  // Whoever writes localhost or 10.0.0.8 has named a private host; a name that merely leads there has not.
  const named = url && isPrivateHost(hostOf(url)) ? [hostOf(url)] : []
  const chosen = operations
    ?.split(',')
    .map((name) => name.trim())
    .filter(Boolean)
  return parseManifest({
    id,
    ...(document === undefined ? { kind: 'mcp' } : { kind: 'openapi', document }),
    base,
    ...(auth !== undefined && { auth: parseAuth(auth) }),
    private_hosts: [...new Set([...named, ...privateHosts])],
    defaults: { credits: creditsOf('price', price), ...(chosen && { publish: 'named' }) },
    ...(prompts !== undefined && { prompts: { credits: creditsOf('prompts', prompts) } }),
    ...(resources !== undefined && { resources: { credits: creditsOf('resources', resources) } }),
    ...(chosen && { operations: Object.fromEntries(chosen.map((name) => [name, {}])) }),
  })
}

function creditsOf(option: string, text: string): number {
  if (!/^\d{1,7}$/.test(text)) throw new Error(`--${option}: expected a whole number of credits, not ${text}.`)
  return Number(text)
}

function parseAuth(text: string): unknown {
  const [, kind, name, variable, stored] =
    /^(header|query|bearer|basic)(?::([^=]+))?=(?:env:([A-Z][A-Z0-9_]*)|(stored:[A-Z][A-Z0-9_]*))$/.exec(text) ?? []
  const secret = variable ?? stored
  if (kind === 'header' && name) return { header: name, secret }
  if (kind === 'query' && name) return { query: name, secret }
  if (kind === 'basic' && name) return { basic: { user: name, secret } }
  if (kind === 'bearer' && !name) return { bearer: secret }
  throw new Error(
    '--auth: expected header:X-Key=env:ACME_KEY, query:apikey=env:ACME_KEY, bearer=env:ACME_KEY or basic:user=env:ACME_KEY, or stored:ACME_KEY for a stored secret. The key itself stays in the environment or in the secret store.',
  )
}
