import { hostOf, isPrivateHost } from '../../net/checked-addresses.ts'
import type { Tool } from '../tools/define-tool.ts'
import { jsonInput } from '../tools/json-input.ts'
import type { ToolRegistry } from '../tools/registry.ts'
import { reservedUpstreamIds } from '../tools/reserved-upstream-ids.ts'
import { requireCacheable } from './cache/cache-terms.ts'
import { type Chosen, chooseOperations } from './choose-operations.ts'
import { parseDocument } from './document/load-document.ts'
import type { JsonSchema, Operation, ReadDocument } from './document/operation.ts'
import { readOperations } from './document/read-operations.ts'
import { withDefs } from './document/references.ts'
import { shownText } from './document/shown-text.ts'
import { foreignTextNotes } from './foreign-text-notes.ts'
import type { Auth, Manifest } from './manifest.ts'
import { readOffered } from './mcp/read-tools.ts'
import { secretName, secretProblem } from './request/credential.ts'
import { storedName } from './secrets/stored-secrets.ts'
import type { UpstreamVersion } from './store.ts'
import { toolListNotes } from './tool-list-notes.ts'
import { upstreamTools } from './upstream-tools.ts'

export interface Prepared {
  version: Omit<UpstreamVersion, 'version'>
  document: string
  /** Never called: they are there to be shown and checked. */
  tools: Tool[]
  left: Chosen['left']
  /** Lines for the operator. */
  notes: string[]
}

/**
 * Everything about a version before it is stored: reads the description, chooses operations, checks the tools that they become. Throws an
 * Error for what cannot be published.
 */
export async function prepareVersion(
  manifest: Manifest,
  document: string,
  env: NodeJS.ProcessEnv,
  tools: Pick<ToolRegistry, 'problems'>,
): Promise<Prepared> {
  requireOwnPlace(manifest)
  return prepareRead(manifest, document, await readDescription(manifest, document), env, tools)
}

function requireOwnPlace(manifest: Manifest): void {
  const { id } = manifest
  if (reservedUpstreamIds.has(id)) throw new Error(`id: /v1/${id} belongs to Finmeter itself; choose another id.`)
  requirePublicHost(manifest)
}

/** The same for a description that was read already. */
export function prepareRead(
  manifest: Manifest,
  document: string,
  read: ReadDocument,
  env: NodeJS.ProcessEnv,
  tools: Pick<ToolRegistry, 'problems'>,
): Prepared {
  requireOwnPlace(manifest)
  const { id, auth } = manifest
  requireCacheable(read.operations, manifest)
  const { operations: chosen, left } = chooseOperations(read.operations, read.skipped, manifest)
  const operations = chosen.filter((operation) => {
    const reason = schemaProblem(operation, read.schemas)
    if (reason) left.push({ operation: operation.id, reason })
    return reason === null
  })
  if (operations.length === 0) throw new Error(`Nothing can be published.\n${leftLines(left).join('\n')}`)
  const version = {
    id,
    manifest: { ...manifest, name: manifest.name ?? (read.title || id) },
    operations,
    schemas: usedSchemas(operations, read.schemas),
  }
  const made = upstreamTools({ ...version, version: 0 }, () => () => {
    throw new Error('This tool is only shown.')
  })
  const problems = tools.problems('upstreams', made)
  if (problems.length > 0) throw new Error(problems.map(({ problem }) => problem).join('\n'))
  return {
    version,
    document,
    tools: made,
    left,
    notes: [
      ...secretNotes(auth, env),
      ...warningNotes(read.warnings),
      ...unsentNotes(read.unsent),
      ...foreignTextNotes(made),
      ...toolListNotes(made),
    ],
  }
}

/** Throws an Error for a private address in `base` that the manifest does not allow. */
export function requirePublicHost({ base, private_hosts }: Manifest): void {
  const host = hostOf(new URL(base))
  if (isPrivateHost(host) && !private_hosts.includes(host))
    throw new Error(`base: ${host} is in a private network. Add it to private_hosts if Finmeter may ask it.`)
}

/** What a description offers. `parsed`: the text, where it was parsed already. Throws an Error when it is none. */
export async function readDescription(
  manifest: Manifest,
  text: string,
  parsed?: Awaited<ReturnType<typeof parseDocument>>,
): Promise<ReadDocument> {
  if (manifest.kind === 'mcp') return readOffered(text, manifest)
  const { document, warnings } = parsed ?? (await parseDocument(text, manifest.document))
  return readOperations(document, warnings, filledBy(manifest.auth), (id) => manifest.operations[id]?.inputs)
}

/** The operations that are not published, a line for each reason. */
export function leftLines(left: Chosen['left']): string[] {
  const byReason = Map.groupBy(left, ({ reason }) => reason)
  return [...byReason].map(([reason, all]) => {
    const names = all.slice(0, 5).map(({ operation }) => operation)
    const more = all.length > names.length ? ` and ${all.length - names.length} more` : ''
    return `Not published, because ${reason}: ${names.join(', ')}${more}`.replaceAll('\n', ' ')
  })
}

/** Parameters that the operator's credential fills are no inputs. */
const filledBy =
  (auth: Auth | undefined) =>
  (place: string, name: string): boolean =>
    auth !== undefined &&
    ((place === 'query' && 'query' in auth && auth.query === name) ||
      (place === 'header' && 'header' in auth && auth.header.toLowerCase() === name.toLowerCase()))

function schemaProblem({ input }: Operation, schemas: Record<string, JsonSchema>): string | null {
  try {
    jsonInput(withDefs(input, schemas)).check()
    return null
  } catch (error) {
    return `its inputs are no valid JSON Schema (${(error as Error).message.slice(0, 200)})`
  }
}

const usedSchemas = (operations: Operation[], schemas: Record<string, JsonSchema>): Record<string, JsonSchema> =>
  Object.assign(
    {},
    ...operations.flatMap(({ input, response }) =>
      [input, response ?? {}].map((one) => withDefs(one, schemas).$defs ?? {}),
    ),
  )

/** Servers have an environment of their own, so a variable that is missing here prevents nothing. The secret store is the same for all. */
function secretNotes(auth: Manifest['auth'], env: NodeJS.ProcessEnv): string[] {
  const name = secretName(auth)
  const problem = secretProblem(name, env)
  if (problem === null) return []
  if (env[name!] || storedName(name) !== null) throw new Error(problem)
  return [`${problem} Set it in the environment of the servers.`]
}

const unsentNotes = (unsent: string[]): string[] =>
  unsent.length === 0
    ? []
    : [`Headers that are no inputs, because they cannot be passed on: ${shownText(unsent.join(', '), 500)}`]

const warningNotes = (warnings: string[]): string[] =>
  warnings.length === 0
    ? []
    : [
        `Faults in the description that do not prevent publishing: ${warnings.length}. The first: ${shownText(warnings[0]!, 500)}`,
      ]
