/** The operator's own APIs: npm run upstream -- <act> ... */
import { dirname, resolve } from 'node:path'
import { stringify } from 'yaml'
import { publishedPlace } from '../features/datasets/published-place.ts'
import { versionStore } from '../features/datasets/version-store.ts'
import { runFromCommandLine } from '../features/operator/console/run-act.ts'
import { offerOwnOnly } from '../features/shop/offer-own-only.ts'
import { toolPriceText } from '../features/tools/listing/price-text.ts'
import { createToolRegistry } from '../features/tools/registry.ts'
import { addVersion } from '../features/upstreams/add-version.ts'
import { loadText } from '../features/upstreams/document/load-document.ts'
import { findUpstream, requireVersion } from '../features/upstreams/find-upstream.ts'
import { upstreamLines } from '../features/upstreams/list.ts'
import type { Manifest } from '../features/upstreams/manifest.ts'
import { changeNotes } from '../features/upstreams/mcp/change-notes.ts'
import { loadTools } from '../features/upstreams/mcp/load-tools.ts'
import { newManifest } from '../features/upstreams/new-manifest.ts'
import { signingKey } from '../features/upstreams/open-parts.ts'
import { pause, resume } from '../features/upstreams/pause.ts'
import { leftLines, type Prepared, prepareVersion } from '../features/upstreams/prepare-version.ts'
import { publishVersion } from '../features/upstreams/publish.ts'
import { readManifest } from '../features/upstreams/read-manifest.ts'
import { removeUpstream } from '../features/upstreams/remove.ts'
import { secretName } from '../features/upstreams/request/credential.ts'
import { rollBack } from '../features/upstreams/rollback.ts'
import { secretLines } from '../features/upstreams/secrets/list-secrets.ts'
import { removeSecret } from '../features/upstreams/secrets/remove-secret.ts'
import { setSecret } from '../features/upstreams/secrets/set-secret.ts'
import { credentialEnv, readSealed } from '../features/upstreams/secrets/stored-secrets.ts'
import { waitForServers } from '../features/upstreams/serving/wait-for-servers.ts'
import { readDocument, readVersion } from '../features/upstreams/store.ts'
import { describeIssues } from '../http/describe-issues.ts'
import { productTools } from '../product-tools.ts'
import { type Connection, runCommand } from './connect.ts'
import { print, printText, Usage } from './print.ts'
import { readSecretInput } from './read-secret.ts'
import { chooseAct, readWords, refuseWords } from './read-words.ts'

const usage = `npm run upstream -- add <document> --id <id> --base <url> --price <credits>   sells an API from its OpenAPI description
    --auth header:X-Key=env:ACME_KEY      the API's credential, by the name of an environment variable (query:, bearer, basic:user)
    --operations getPrice,search          only these, whatever their method; otherwise every GET operation
                                          or header:X-Key=stored:ACME_KEY, by its name in the secret store
    --private-host api.internal           a host that may have a private address (repeatable)
    --draft                               stores it without serving it
npm run upstream -- add-mcp <url> --id <id> --price <credits>   sells the tools of an MCP server; the options are the same, and
    --prompts <credits>, --resources <credits>   also its prompts, or resources, at this price each
npm run upstream -- validate <manifest.yaml>     checks a manifest and its description, writes nothing
npm run upstream -- publish <manifest.yaml>      checks it and serves it as the next version (--draft: only stores it)
npm run upstream -- publish <id> [--version N]   serves the newest version, or N
npm run upstream -- list                         upstreams, versions, and what no longer fits its description
npm run upstream -- show <id> [--version N]      the manifest that is served
npm run upstream -- document <id> [--version N]  the description that it was read from
npm run upstream -- pause <id>, resume <id>      stops serving its operations, or serves them again
npm run upstream -- rollback <id> [--version N]  serves the previous version, or N
npm run upstream -- remove <id>                  removes it with its versions
npm run upstream -- secret set <NAME>            stores a credential, encrypted; reads it from standard input, or asks for it
npm run upstream -- secret list                  names and dates of stored credentials, and the upstreams that use them
npm run upstream -- secret remove <NAME>         removes one that no served version uses
npm run upstream -- signing-key <id>             prints the key that signs requests (base64) alone on the last line
Changes are in the operators' log, with --reason <text> if you give one.`

const { words, values } = readWords(usage, {
  id: { type: 'string' },
  base: { type: 'string' },
  price: { type: 'string' },
  auth: { type: 'string' },
  operations: { type: 'string' },
  prompts: { type: 'string' },
  resources: { type: 'string' },
  'private-host': { type: 'string', multiple: true },
  draft: { type: 'boolean', default: false },
  version: { type: 'string' },
  reason: { type: 'string' },
})
const [act, subject, name, ...rest] = words
const isFile = (name: string): boolean => /\.ya?ml$/.test(name)
describeIssues()

const acts: Record<string, ((connection: Connection, subject: string) => Promise<void>) | undefined> = {
  async add(connection, document) {
    const { id, base, price, auth, operations } = values
    if (!id || !base || price === undefined) throw new Usage(usage)
    const options = { document, id, base, price, auth, operations, privateHosts: values['private-host'] }
    await store(connection, await prepare(connection, newManifest(options)))
  },
  async 'add-mcp'(connection, address) {
    const { id, price, auth, operations, prompts, resources } = values
    if (!id || price === undefined) throw new Usage(usage)
    const options = {
      id,
      base: address,
      price,
      auth,
      operations,
      prompts,
      resources,
      privateHosts: values['private-host'],
    }
    await store(connection, await prepare(connection, newManifest(options)))
  },
  async validate(connection, path) {
    show(await fromFile(connection, path))
    print('Nothing was written.')
  },
  async publish(connection, name) {
    if (isFile(name)) return store(connection, await fromFile(connection, name))
    await logged(
      connection,
      'upstream.published',
      name,
      (tx) => publishVersion(tx, name, wantedVersion()),
      (version) => ({ version }),
    )
    await showPublished(connection, name)
  },
  async list({ db }) {
    print(...(await upstreamLines(db)))
  },
  async show({ db }, id) {
    const version = await readVersion(db.kysely, id, await shownVersion(db, id))
    printText(stringify(version?.manifest).trimEnd())
  },
  async document({ db }, id) {
    printText((await readDocument(db.kysely, id, await shownVersion(db, id)))!)
  },
  async pause(connection, id) {
    await logged(connection, 'upstream.paused', id, (tx) => pause(tx, id))
    print(`${id} is paused: its operations return 404 until you resume it.`)
  },
  async resume(connection, id) {
    await logged(connection, 'upstream.resumed', id, (tx) => resume(tx, id))
    await showServed(connection, id)
  },
  async rollback(connection, id) {
    await logged(
      connection,
      'upstream.undone',
      id,
      (tx) => rollBack(tx, id, wantedVersion()),
      (version) => ({ version }),
    )
    await showServed(connection, id)
  },
  async remove(connection, id) {
    await logged(connection, 'upstream.removed', id, (tx) => removeUpstream(tx, id))
    print(`${id} is removed.`)
  },
  async secret(connection, verb) {
    const { db, secrets } = connection
    if (verb === 'list') print(...(await secretLines(db.kysely)))
    else if (verb === 'set' && name) {
      if (rest.length > 0 || name.includes('='))
        throw new Error(
          'The value is never an argument, where other users of this machine and the history of the shell can see it. Pipe it to this command, or run it without and type it.',
        )
      const value = await readSecretInput(`Value of ${name} (not shown): `)
      await logged(connection, 'upstream_secret.set', name, (tx) => setSecret(tx, secrets, name, value))
      print(`${name} is stored. Manifests name it as stored:${name}.`)
    } else if (verb === 'remove' && name) {
      await logged(connection, 'upstream_secret.removed', name, (tx) => removeSecret(tx, name))
      print(`${name} is removed.`)
    } else throw new Usage(usage)
  },
  async 'signing-key'({ db, secrets }, id) {
    await findUpstream(db.kysely, id)
    print(signingKey(secrets, id).toString('base64'))
  },
}

const run = chooseAct(acts, act, usage)
if (act !== 'list' && !subject) refuseWords(usage)
await runCommand((connection) => run(connection, subject ?? ''))

/** Changes it, and notes that in the operators' log. */
function logged<T>(
  { db }: Connection,
  action: string,
  target: string,
  work: (tx: Connection['db']['kysely']) => Promise<T>,
  afterOf?: (result: T) => Record<string, unknown>,
): Promise<T> {
  return runFromCommandLine(db.kysely, { action, target, reason: values.reason }, work, afterOf)
}

/** The one that is named, served, or newest. */
async function shownVersion({ kysely }: Connection['db'], id: string): Promise<number> {
  const found = await findUpstream(kysely, id)
  return requireVersion(found, wantedVersion() ?? found.published ?? found.versions[0]!.version)
}

function wantedVersion(): number | undefined {
  if (values.version === undefined) return undefined
  if (!/^[1-9]\d{0,8}$/.test(values.version)) throw new Error(`--version: expected a number, not ${values.version}.`)
  return Number(values.version)
}

async function fromFile(connection: Connection, path: string): Promise<Prepared> {
  const manifest = await readManifest(path)
  return prepare(connection, manifest, dirname(path))
}

/** `folder`: where a document is that is named without its own. */
async function prepare({ db, secrets }: Connection, manifest: Manifest, folder = '.'): Promise<Prepared> {
  const registry = await createToolRegistry(productTools, db)
  const env = credentialEnv(secretName(manifest.auth), process.env, await readSealed(db.kysely), secrets)
  const description =
    manifest.kind === 'mcp'
      ? await loadTools(manifest, { env, secrets })
      : await loadText(isAddress(manifest.document) ? manifest.document : resolve(folder, manifest.document))
  const prepared = await prepareVersion(manifest, description, env, registry)
  return { ...prepared, notes: [...prepared.notes, ...(await changeNotes(db.kysely, prepared))] }
}

function isAddress(document: string): boolean {
  return /^https?:\/\//.test(document)
}

async function store(connection: Connection, prepared: Prepared): Promise<void> {
  const { id } = prepared.version
  const version = await logged(
    connection,
    values.draft ? 'upstream.stored' : 'upstream.published',
    id,
    (tx) => addVersion(tx, prepared, values.draft),
    (added) => ({ version: added, operations: prepared.version.operations.length }),
  )
  show(prepared)
  if (values.draft) print(`${id} version ${version} is stored. Serve it with: npm run upstream -- publish ${id}`)
  else await showPublished(connection, id)
}

/** Ends with code 1, and is false, when a server does not serve it. */
async function showServed({ db }: Connection, id: string): Promise<boolean> {
  const { lines, served } = await waitForServers(db, id)
  print(...lines)
  if (!served) process.exitCode = 1
  return served
}

async function showPublished(connection: Connection, id: string): Promise<void> {
  if (!(await showServed(connection, id))) return
  const { db, config } = connection
  const own = await versionStore(publishedPlace(config))
    .served()
    .catch(() => [])
  const offer = await offerOwnOnly(db.kysely, own.length > 0)
  if (offer) print(offer)
}

function show({ tools, left, notes }: Prepared): void {
  for (const tool of tools) {
    const { name, rest, mcp, offer, holdSeconds, unsettled, cache } = tool
    const overMcp = offer ? `  MCP ${offer.kind}` : mcp === false ? '' : '  MCP'
    const held = holdSeconds === undefined ? '' : `  held ${holdSeconds} s`
    const ends = unsettled === undefined ? '' : `  unsettled: ${unsettled}`
    const cached = cache ? `  cached ${cache.seconds} s${cache.shared ? ', shared' : ''}` : ''
    print(`${name}  ${rest!.method} ${rest!.path}  ${toolPriceText(tool)}${overMcp}${held}${ends}${cached}`)
  }
  print(...leftLines(left), ...notes)
}
