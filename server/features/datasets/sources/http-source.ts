import { firstBytes } from '../../../net/first-bytes.ts'
import { csvRowsOf } from '../../market-data/sources/csv.ts'
import type { DatasetFile, Source } from '../dataset-file.ts'
import type { Findings } from '../report.ts'
import { objectBatch, type Rows, valueAt } from '../row-batch.ts'
import type { HttpCache } from './http-cache.ts'

type HttpSource = Extract<Source, { type: 'http' }>
const MAX_PAGES = 10_000
const MAX_ANSWER_BYTES = 200_000_000

export interface HttpParts {
  cache: HttpCache
  env: NodeJS.ProcessEnv
  findings: Findings
  now: () => number
}

/**
 * Rows of an HTTP API: every page of each entry of `each`. Answers are cached: a fresh one saves the request, a stale
 * one is used (with a warning) when the upstream fails or its budget is used up. Messages never contain the secret.
 */
export async function* httpRows(dataset: DatasetFile, source: HttpSource, parts: HttpParts): Rows {
  const secret = readSecret(dataset, source, parts.env)
  for (const variables of source.each) {
    let address: string | undefined = fill(source.url, variables)
    for (let page = 1; address !== undefined; page++) {
      if (page > MAX_PAGES) throw new Error(`${dataset.id}: more than ${MAX_PAGES} pages; is \`next\` right?`)
      const shown: string = address
      const body = await answerOf(source, shown, secret, parts)
      const { objects, next } = rowsOf(source, body, shown)
      yield objectBatch(dataset, objects, variables, (index) => `${shown} row ${index + 1}`)
      address = next === undefined ? undefined : onSameHost(next, shown)
    }
  }
}

function readSecret({ id }: DatasetFile, { secret }: HttpSource, env: NodeJS.ProcessEnv): string | null {
  if (!secret) return null
  const value = env[secret]
  if (!value) throw new Error(`${id}: set ${secret} to the key of the upstream.`)
  return value
}

/** `{secret}` stays unexpanded: this text is shown, stored and compared. */
const fill = (template: string, variables: Record<string, string>): string =>
  template.replaceAll(/\{(\w+)\}/g, (whole, name: string) =>
    name === 'secret' ? whole : encodeURIComponent(variables[name] ?? missing(name)),
  )

function missing(name: string): never {
  throw new Error(`url names {${name}}, which no entry of \`each\` gives.`)
}

async function answerOf(source: HttpSource, shown: string, secret: string | null, parts: HttpParts): Promise<string> {
  const { cache, findings, now } = parts
  const kept = await cache.read(shown)
  if (kept && now() - kept.fetchedAtMs < source.cache_seconds * 1000) return kept.body
  const standIn = (why: string): string => {
    if (!kept) throw new Error(`${shown}: ${why}, and there is no earlier answer.`)
    findings.warn(
      'stale_answer',
      `${shown}: ${why}; the answer of ${new Date(kept.fetchedAtMs).toISOString()} is used instead`,
    )
    return kept.body
  }
  if (source.budget && !(await cache.spend(source.budget)))
    return standIn(`the budget of ${source.budget.requests} requests a ${source.budget.per} is used up`)
  try {
    const url = secret === null ? shown : shown.replaceAll('{secret}', encodeURIComponent(secret))
    const headers = Object.fromEntries(
      Object.entries(source.headers).map(([name, value]) => [
        name,
        secret === null ? value : value.replaceAll('{secret}', secret),
      ]),
    )
    // A redirect could carry the secret to another host.
    const answer = await fetch(url, {
      headers,
      redirect: 'error',
      signal: AbortSignal.timeout(source.timeout_seconds * 1000),
    })
    if (!answer.ok) return standIn(`the upstream answered ${answer.status}`)
    const { bytes, whole } = await firstBytes(answer, MAX_ANSWER_BYTES)
    if (!whole) return standIn('the answer is larger than 200 MB')
    const body = new TextDecoder().decode(bytes)
    rowsOf(source, body, shown)
    await cache.write(shown, body)
    return body
  } catch (error) {
    const { name, message } = error as Error
    if (message.startsWith(shown)) throw error
    return standIn(
      name === 'TimeoutError'
        ? `no answer within ${source.timeout_seconds} s`
        : 'the upstream sent an invalid response',
    )
  }
}

function rowsOf(source: HttpSource, body: string, shown: string): { objects: unknown[]; next: string | undefined } {
  if (source.format === 'csv') return { objects: kept(source, csvObjects(body)), next: undefined }
  let answer: unknown
  try {
    answer = JSON.parse(body)
  } catch {
    throw new Error('the answer is not JSON')
  }
  const list = source.rows ? valueAt(answer, source.rows) : answer
  if (!Array.isArray(list))
    throw new Error(`${shown}: there is no list at \`${source.rows ?? 'the top'}\` of the answer.`)
  const next = source.next ? valueAt(answer, source.next) : undefined
  return { objects: kept(source, list), next: typeof next === 'string' && next !== '' ? next : undefined }
}

function csvObjects(body: string): Record<string, string>[] {
  const [header, ...rows] = csvRowsOf(body)
  return rows.map(({ cells }) => Object.fromEntries((header?.cells ?? []).map((name, at) => [name, cells[at] ?? ''])))
}

const kept = ({ keep }: HttpSource, objects: unknown[]): unknown[] =>
  objects.filter((object) => Object.entries(keep).every(([path, wanted]) => String(valueAt(object, path)) === wanted))

/** The next page's URL, if it is on the host that the operator named. */
function onSameHost(next: string, shown: string): string {
  const url = new URL(next, shown)
  if (url.host !== new URL(shown).host) throw new Error(`${shown}: the next page is on another host, ${url.host}.`)
  return url.href
}
