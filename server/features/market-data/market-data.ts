import { createHash } from 'node:crypto'
import type { WhyWithheld } from '../entitlement/why-withheld.ts'
import { seriesOnFirstRead } from './bars/bar-series.ts'
import { heldDays } from './bars/resample.ts'
import { type Catalog, createCatalog, type Instrument } from './catalog.ts'
import type { Company } from './companies/companies.ts'
import type { FiledSource } from './companies/filings/filings-file.ts'
import type { Statement, Statements } from './companies/statements.ts'
import { type Currency, type DatasetPart, type HeldSymbol, loadPart } from './dataset-part.ts'
import { type Manifest, readManifests } from './manifest.ts'
import { type EconomicSeries, versionOf } from './series/economic-series.ts'
import { type Rates, ratesOf } from './series/rates.ts'
import { folderFiles } from './version-files.ts'

interface Withheld {
  part: DatasetPart
  reason: WhyWithheld
}

/** The market data that a caller may read, in memory and read-only. */
export interface MarketData {
  readonly catalog: Catalog
  /** Economic series by id and alias, upper case. */
  readonly series: ReadonlyMap<string, EconomicSeries>
  readonly statements: Statements
  /** Listed companies by symbol, with or without other data. */
  readonly companies: ReadonlyMap<string, Company>
  /** By dataset; of two that have a rate of the same day, the later one counts. */
  readonly rates: readonly Rates[]
  readonly currencies: ReadonlyMap<string, Currency>
  readonly manifests: readonly Manifest[]
  /** Changes when any dataset does. */
  readonly version: string
  /** Symbols and series ids on this server that this caller may not read, and why. */
  readonly withheld: ReadonlyMap<string, WhyWithheld>
  /** Datasets that this caller may not read, and why. */
  readonly reserved: readonly { manifest: Manifest; reason: WhyWithheld }[]
  readonly parts: readonly DatasetPart[]
}

/**
 * Loads every dataset with a manifest in `dir`. `demoPrices: false` skips those marked `redistribution: demo-only`.
 * Throws when a file is missing or does not match its manifest.
 */
export async function loadMarketData(options: { dir: string; demoPrices: boolean }): Promise<MarketData> {
  const manifests = await readManifests(options.dir)
  const served = manifests.filter(({ redistribution }) => options.demoPrices || redistribution !== 'demo-only')
  // Filings tell more than finished statements, and daily rates more than single dates: they come later, so they count.
  served.sort((a, b) => Number(tellsMore(a)) - Number(tellsMore(b)))
  const parts: DatasetPart[] = []
  // One after the other, since each file is unpacked in memory.
  for (const manifest of served) parts.push(await loadPart(folderFiles(options.dir), manifest))
  return assemble(parts)
}

const tellsMore = (one: Manifest): boolean =>
  one.kind === 'filings' || (one.kind === 'series' && one.base !== undefined)

/** A later dataset counts; what it leaves open is taken from the earlier one. */
const withKnown = (company: Company, earlier: Company | undefined): Company =>
  earlier
    ? { ...earlier, ...Object.fromEntries(Object.entries(company).filter(([, value]) => value !== null)) }
    : company

/**
 * Market data from datasets; `others` exist but must not be read. If two datasets have the same symbol, series or
 * statements, the later one counts.
 */
export function assemble(parts: readonly DatasetPart[], others: readonly Withheld[] = []): MarketData {
  const bars = new Map<string, HeldSymbol[]>()
  const series = new Map<string, EconomicSeries>()
  const bySymbol = new Map<string, readonly Statement[]>()
  const filed = new Map<string, FiledSource>()
  const statementsFrom = new Map<string, Manifest>()
  const companies = new Map<string, Company>()
  const currencies = new Map<string, Currency>()
  const rates: Rates[] = []
  for (const part of parts) {
    if (part.kind === 'bars')
      for (const held of part.symbols) {
        const { symbol, interval } = held.manifest
        const others = (bars.get(symbol) ?? []).filter((one) => one.manifest.interval !== interval)
        bars.set(symbol, [...others, held])
      }
    else if (part.kind === 'series') {
      for (const one of part.series) for (const name of [one.id, ...one.aliases]) series.set(name, one)
      const own = ratesOf(part.manifest, part.series)
      if (own) rates.push(own)
    } else if (part.kind === 'statements')
      for (const [symbol, statements] of part.bySymbol) {
        bySymbol.set(symbol, statements)
        filed.delete(symbol)
        statementsFrom.set(symbol, part.manifest)
      }
    else if (part.kind === 'filings')
      for (const [symbol, source] of part.filed) {
        bySymbol.set(symbol, part.bySymbol.get(symbol) ?? [])
        filed.set(symbol, source)
        statementsFrom.set(symbol, part.manifest)
        if (!companies.has(symbol)) companies.set(symbol, source.company)
      }
    else if (part.kind === 'companies')
      for (const [symbol, company] of part.companies) companies.set(symbol, withKnown(company, companies.get(symbol)))
    else if (part.kind === 'rates') rates.push(part.rates)
    else for (const [code, currency] of part.currencies) currencies.set(code, currency)
  }
  const manifests = parts.map(({ manifest }) => manifest)
  return {
    catalog: createCatalog([...bars.values()].map(toInstrument)),
    series,
    statements: {
      manifests: manifests.filter((one) => one.kind === 'statements' || one.kind === 'filings'),
      bySymbol,
      filed,
      from: statementsFrom,
    },
    companies,
    rates,
    currencies,
    manifests,
    version: createHash('sha256').update(manifests.map(versionOf).join('\n')).digest('hex').slice(0, 12),
    withheld: new Map(others.flatMap(({ part, reason }) => namesIn(part).map((name) => [name, reason]))),
    reserved: others.map(({ part, reason }) => ({ manifest: part.manifest, reason })),
    parts,
  }
}

/** The data for which `why` gives no reason. Names of the other data are included as reserved, but for `secret` data. */
export function restrict(
  { parts }: MarketData,
  why: (manifest: Manifest) => WhyWithheld | 'secret' | null,
): MarketData {
  const allowed = parts.filter(({ manifest }) => why(manifest) === null)
  const others = parts.flatMap((part): Withheld[] => {
    const reason = why(part.manifest)
    return reason === null || reason === 'secret' ? [] : [{ part, reason }]
  })
  return assemble(allowed, others)
}

function namesIn(part: DatasetPart): string[] {
  if (part.kind === 'bars') return part.symbols.flatMap(({ manifest: { symbol, aliases } }) => [symbol, ...aliases])
  return part.kind === 'series' ? part.series.flatMap(({ id, aliases }) => [id, ...aliases]) : []
}

/** One symbol from its datasets: daily bars, minutes, or both. Missing daily bars are built from the minutes. */
function toInstrument(held: HeldSymbol[]): Instrument {
  const daily = held.find(({ manifest }) => manifest.interval === '1d')
  const minutes = held.find(({ manifest }) => manifest.interval === '1m')
  const main = daily ?? minutes!
  return {
    manifest: main.manifest,
    series: daily?.series ?? minutes!.days ?? seriesOnFirstRead(() => heldDays(minutes!.series)),
    datasetVersion: versionOf(main.manifest),
    source: sourceOf(main.manifest),
    intraday: minutes
      ? {
          manifest: minutes.manifest,
          series: minutes.series,
          datasetVersion: versionOf(minutes.manifest),
          source: sourceOf(minutes.manifest),
        }
      : null,
  }
}

/** The origin of the data as stated in answers. */
export const sourceOf = ({ sources }: Manifest): string =>
  [...new Set(sources.map((source) => `${source.package} ${source.version}`))].join(', ')
