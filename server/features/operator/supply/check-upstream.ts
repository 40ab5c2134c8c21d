import type { z } from 'zod'
import type { readOperation, supplyRoutes } from '#contract/operator/supply-routes.ts'
import type { Deps } from '../../../deps.ts'
import { AppError } from '../../../http/errors.ts'
import type { Tool } from '../../tools/define-tool.ts'
import { toolPriceText } from '../../tools/listing/price-text.ts'
import { parseDocument } from '../../upstreams/document/load-document.ts'
import type { ReadDocument } from '../../upstreams/document/operation.ts'
import { readOperations } from '../../upstreams/document/read-operations.ts'
import type { Manifest } from '../../upstreams/manifest.ts'
import { changeNotes } from '../../upstreams/mcp/change-notes.ts'
import { type Prepared, prepareRead, readDescription } from '../../upstreams/prepare-version.ts'
import { readUpstreams } from '../../upstreams/store.ts'
import { isLaptop } from '../console/find-session.ts'
import { isRefusal, refusing } from '../console/refuse.ts'
import { digestOf, envOf, loadDescription, loadOffered, type Source } from './load-source.ts'
import { parseAllowed } from './parse-allowed.ts'
import { serverOf, suggestManifest } from './suggest-manifest.ts'

type Given = Record<string, unknown>
type Checked = z.input<typeof supplyRoutes.checkUpstream.data>
type CheckDeps = Pick<Deps, 'config' | 'db' | 'secrets' | 'tools'>

/** What is wrong with a manifest does not keep its operator from seeing what the description offers. */
interface ReadSource {
  document: string
  manifest: Given
  /** Null: the manifest cannot be used, and `problems` says why. */
  parsed: Manifest | null
  read: ReadDocument
  problems: string[]
}

/**
 * Reads a description and checks what a manifest would publish of it, without storing anything. Keys that the manifest lacks are filled
 * with what the description suggests. Throws invalid_parameter for a description that cannot be read.
 */
export async function checkUpstream(deps: CheckDeps, source: Source, given: Given): Promise<Checked> {
  const all = await readUpstreams(deps.db.kysely)
  const { document, manifest, parsed, read, problems } = await readSource(
    deps,
    source,
    given,
    new Set(all.map(({ id }) => id)),
  )
  const prepared = parsed && (await tryToPrepare(deps, parsed, document, read))
  if (prepared && 'problems' in prepared) problems.push(...prepared.problems)
  const ready = prepared && 'tools' in prepared ? prepared : null
  return {
    digest: digestOf(document),
    manifest,
    title: read.title,
    newest: all.find(({ id }) => id === manifest.id)?.versions[0]?.version ?? null,
    operations: operationsOf(read, ready),
    problems,
    notes: ready ? [...ready.notes, ...(await changeNotes(deps.db.kysely, ready))] : [],
  }
}

/** The version of a checked manifest, to be stored. Throws invalid_parameter, and conflict when the description is another by now. */
export async function prepareChecked(deps: CheckDeps, source: Source, given: Given, digest: string): Promise<Prepared> {
  const manifest = await refusing('invalid_parameter', () => parseAllowed(deps, given))
  const document =
    source.from === 'server'
      ? await loadOffered(deps, manifest)
      : await loadDescription(deps, source, manifest.private_hosts)
  if (digestOf(document) !== digest)
    throw new AppError('conflict', 'The description has changed since you checked it. Check it again.')
  const env = await envOf(deps, manifest)
  return refusing('invalid_parameter', async () => {
    const read = await readDescription(manifest, document)
    return requireFreeNames(prepareRead(manifest, document, read, env, deps.tools), deps.tools)
  })
}

async function readSource(
  deps: CheckDeps,
  source: Source,
  given: Given,
  taken: ReadonlySet<string>,
): Promise<ReadSource> {
  if (given.kind === 'mcp') return readServer(deps, source, given, taken)
  if (source.from === 'server') throw new AppError('invalid_parameter', 'Only an MCP server can list its own tools.')
  const hosts = Array.isArray(given.private_hosts) ? given.private_hosts.map(String) : []
  const document = await loadDescription(deps, source, hosts)
  const from = source.from === 'address' ? source.address : undefined
  return refusing('invalid_parameter', async () => {
    const opened = await parseDocument(document, from ?? 'The description')
    const title = String(opened.document.info?.title ?? '')
    const base = serverOf(opened.document, from)
    const described = { title, base, document: from ?? 'pasted.yaml', trusted: isLaptop(deps) }
    const suggested = suggestManifest(given, described, taken)
    const { parsed, problems } = await parse(deps, suggested)
    const read = parsed
      ? await readDescription(parsed, document, opened)
      : readOperations(
          opened.document,
          opened.warnings,
          () => false,
          () => undefined,
        )
    return { document, manifest: suggested, parsed, read, problems }
  })
}

/** Its address and credential have to be right before it can be asked. */
async function readServer(
  deps: CheckDeps,
  source: Source,
  given: Given,
  taken: ReadonlySet<string>,
): Promise<ReadSource> {
  const host = typeof given.base === 'string' ? (URL.parse(given.base)?.hostname ?? '') : ''
  const suggested = suggestManifest(given, { title: host.split('.').at(-2) ?? host }, taken)
  const { parsed, problems } = await parse(deps, suggested)
  const asked =
    parsed ?? (await parse(deps, { ...suggested, operations: {}, prompts: undefined, resources: undefined })).parsed
  if (!asked) throw new AppError('invalid_parameter', problems.join('\n'))
  const document =
    source.from === 'server' ? await loadOffered(deps, asked) : await loadDescription(deps, source, asked.private_hosts)
  return refusing('invalid_parameter', async () => {
    const read = await readDescription(asked, document)
    return { document, manifest: suggested, parsed, read, problems }
  })
}

async function parse(deps: CheckDeps, manifest: Given): Promise<{ parsed: Manifest | null; problems: string[] }> {
  try {
    return { parsed: await parseAllowed(deps, manifest), problems: [] }
  } catch (error) {
    if (!isRefusal(error)) throw error
    return { parsed: null, problems: error.message.split('\n') }
  }
}

async function tryToPrepare(
  deps: CheckDeps,
  manifest: Manifest,
  document: string,
  read: ReadDocument,
): Promise<Prepared | { problems: string[] }> {
  try {
    return requireFreeNames(prepareRead(manifest, document, read, await envOf(deps, manifest), deps.tools), deps.tools)
  } catch (error) {
    if (!isRefusal(error)) throw error
    return { problems: error.message.split('\n') }
  }
}

/** The registry compares with other suppliers; two upstreams are one supplier. */
function requireFreeNames(prepared: Prepared, tools: Deps['tools']): Prepared {
  const { id } = prepared.version
  for (const { name } of prepared.tools) {
    const other = tools.current().get(name)?.tool.upstream
    if (other && other.id !== id)
      throw new Error(`The upstream ${other.id} has a tool ${name} already: set another name for that operation.`)
  }
  return prepared
}

function operationsOf(read: ReadDocument, ready: Prepared | null): Checked['operations'] {
  const tools = new Map(ready?.tools.map((tool): [string, Tool] => [tool.upstream!.operation, tool]))
  const reasons = new Map(ready?.left.map(({ operation, reason }) => [operation, reason]))
  const offered = read.operations.map((one): z.input<typeof readOperation> => {
    const tool = tools.get(one.id)
    const reason = tool ? null : (reasons.get(one.id) ?? (ready ? 'it is not named' : null))
    return {
      id: one.id,
      method: one.method,
      path: one.path,
      title: one.title,
      description: one.description,
      inputs: Object.keys((one.input.properties as object | undefined) ?? {}),
      reason,
      impossible: reason?.startsWith('its inputs are no valid') ?? false,
      tool: tool?.name ?? null,
      price: tool ? toolPriceText(tool) : null,
      over_mcp: tool !== undefined && (tool.mcp !== false || tool.offer !== undefined),
    }
  })
  const skipped = read.skipped.map(
    ({ operation, reason }): z.input<typeof readOperation> => ({
      id: operation,
      method: '',
      path: '',
      title: operation,
      description: '',
      inputs: [],
      reason,
      impossible: true,
      tool: null,
      price: null,
      over_mcp: false,
    }),
  )
  return [...offered, ...skipped]
}
