import { setTimeout as pause } from 'node:timers/promises'
import packageJson from '../../../../package.json' with { type: 'json' }
import { loadCompanies } from '../../market-data/companies/companies.ts'
import { readManifests } from '../../market-data/manifest.ts'
import { folderFiles } from '../../market-data/version-files.ts'
import { progressOfRequests } from '../progress-line.ts'
import type { PublishedPlace } from '../published-place.ts'
import type { ConnectorManifest } from './connector.ts'
import { hostLimits } from './host-limits.ts'
import { connectors } from './list.ts'
import { runConnector } from './run-connector.ts'
import { connectorFiles, connectorsRoot, type RunReport } from './run-state.ts'

interface FetchOptions {
  config: { FINMETER_DATA_DIR: string }
  published: PublishedPlace
  contact: string | null
  selection: readonly string[]
  /** Stands in for the sources; null: the internet. */
  sources: {
    via: (url: string) => string
    selectionOf: (connector: string) => readonly string[]
    close: () => Promise<void>
  } | null
}

/** Runs a connector. Throws for an unknown name, and for a contact or key that is missing. */
export async function fetchConnector(name: string, options: FetchOptions): Promise<RunReport> {
  const { config, published, contact, selection, sources } = options
  const connector = connectors.get(name)
  if (!connector) throw new Error(`There is no connector ${name}. Available: ${[...connectors.keys()].join(', ')}.`)
  const { manifest } = connector
  const line = progressOfRequests(process.stderr)
  try {
    if (contact !== null && !/^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(contact))
      throw new Error(`${contact} is not an e-mail address. Write --contact you@example.com.`)
    if (manifest.contactRequired && contact === null && !sources)
      throw new Error(`${manifest.title}: the source asks for your address. Write --contact you@example.com.`)
    const secret =
      sources && manifest.secret ? (keyIn(config, manifest.secret) ?? 'sandbox') : requireKey(config, manifest)
    // Recorded answers are no basis for what the source itself has.
    const root = `${connectorsRoot(config)}${sources ? '-sandbox' : ''}`
    const earlier = (await connectorFiles(root, name).readState()).selection
    const chosen = selection.length > 0 || earlier.length > 0 ? selection : (sources?.selectionOf(name) ?? [])
    if (manifest.selective && chosen.length === 0 && earlier.length === 0)
      throw new Error(`${manifest.title}: say which companies: --symbols AAPL,NVDA or --index sp500.`)
    return await runConnector(connector, {
      root,
      published,
      selection: manifest.selective ? chosen : [],
      progress: line.show,
      wire: {
        limits: hostLimits(manifest.limits, Date.now, pause),
        userAgent: `Finmeter/${packageJson.version} ${contact ?? (sources ? 'sandbox@example.com' : manifest.homepage)}`,
        secret,
        secretName: manifest.secret,
        throttledMs: manifest.throttledSeconds ? manifest.throttledSeconds * 1000 : null,
        timeoutMs: manifest.timeoutSeconds * 1000,
        via: sources?.via ?? ((url) => url),
        now: Date.now,
        sleep: pause,
      },
    })
  } finally {
    line.end()
    await sources?.close()
  }
}

/** A connector names the setting with its key. */
const keyIn = (config: object, name: string): string | undefined => (config as Record<string, string | undefined>)[name]

/** The operator's key of a vendor; null for a source that needs none. Throws if it is not set. */
export function requireKey(config: object, { secret, title }: ConnectorManifest): string | null {
  if (secret === null) return null
  const key = keyIn(config, secret)
  if (!key) throw new Error(`Set ${secret} to your key of ${title}.`)
  return key
}

/** The companies that the operator names, or the members of an index in the demonstration's list of companies. */
export async function selected(
  { symbols = '', index }: { symbols?: string | undefined; index?: string | undefined },
  demoDirectory: string,
): Promise<string[]> {
  if (index !== undefined && index !== 'sp500') throw new Error(`Unknown index ${index}. Available: sp500.`)
  const named = symbols
    .split(',')
    .map((symbol) => symbol.trim().toUpperCase())
    .filter(Boolean)
  if (!index) return named
  const manifest = (await readManifests(demoDirectory)).find(({ id }) => id === 'us-companies')
  if (manifest?.kind !== 'companies') throw new Error(`${demoDirectory} has no list of companies.`)
  const companies = await loadCompanies(folderFiles(demoDirectory), manifest)
  // Only the members of the index have a CIK there.
  return [...named, ...[...companies.values()].flatMap(({ cik }) => (cik ? [`CIK${cik}`] : []))]
}

/** The last run of one connector, or of all: for consoles and scripts. */
export async function lastRuns(root: string, name?: string): Promise<(RunReport & { dataAsOf: string | null })[]> {
  if (name && !connectors.has(name))
    throw new Error(`There is no connector ${name}. Available: ${[...connectors.keys()].join(', ')}.`)
  const states = await Promise.all(
    (name ? [name] : [...connectors.keys()]).map((one) => connectorFiles(root, one).readState()),
  )
  return states.flatMap(({ lastRun, lastGoodAt }) => (lastRun ? [{ ...lastRun, dataAsOf: lastGoodAt }] : []))
}
