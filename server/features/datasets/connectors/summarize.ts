import { createHash } from 'node:crypto'
import type { ConnectorManifest, DatasetOf, Row } from './connector.ts'

const SAMPLES = 24

interface KeySummary {
  rows: number
  first: string
  last: string
  /** The value at `last`. */
  lastValue: number | null
  /** Some rows by what identifies them; of the same rows always the same. */
  samples: Record<string, number>
}

/** What a later version is compared with. */
export interface Summary {
  rows: number
  digest: string
  keys: Record<string, KeySummary>
  /** Golden values that were present, by place in the manifest. */
  golden: number[]
}

export interface Summarized {
  summary: Summary
  /** Values of `asked` (the samples of an earlier version) in these rows. */
  found: Map<string, number>
  wrongGolden: string[]
}

/** Reads all rows of a dataset once. */
export async function summarize(
  rows: AsyncIterable<Row>,
  dataset: DatasetOf,
  golden: ConnectorManifest['golden'],
  earlier: Summary | null,
): Promise<Summarized> {
  const { key, date, value, identity } = dataset.keys
  const asked = new Set(Object.values(earlier?.keys ?? {}).flatMap(({ samples }) => Object.keys(samples)))
  const found = new Map<string, number>()
  const keys = new Map<string, KeySummary & { sketch: [number, string, number][] }>()
  const present = new Map<number, string | null>()
  const hash = createHash('sha256')
  let total = 0
  for await (const row of rows) {
    total += 1
    hash.update(JSON.stringify(row))
    const name = String(row[key])
    const day = String(row[date] ?? '')
    const number = value === null || row[value] === null || row[value] === '' ? null : Number(row[value])
    let held = keys.get(name)
    if (!held) {
      held = { rows: 0, first: day, last: '', lastValue: null, samples: {}, sketch: [] }
      keys.set(name, held)
    }
    held.rows += 1
    if (day < held.first) held.first = day
    if (day >= held.last) {
      held.last = day
      held.lastValue = number
    }
    if (number !== null) {
      const id = [name, ...identity.map((column) => row[column])].join('|')
      if (asked.has(id)) found.set(id, number)
      sample(held.sketch, id, number)
    }
    for (const [at, { dataset: of, match, field, value: wanted }] of golden.entries()) {
      if (of !== dataset.id || !Object.entries(match).every(([column, text]) => String(row[column]) === text)) continue
      present.set(at, Number(row[field]) === wanted ? null : `${JSON.stringify(match)} is ${row[field]}, not ${wanted}`)
    }
  }
  return {
    summary: {
      rows: total,
      digest: hash.digest('hex'),
      keys: Object.fromEntries(
        [...keys].map(([name, { sketch, ...rest }]) => [
          name,
          { ...rest, samples: Object.fromEntries(sketch.map(([, id, number]) => [id, number])) },
        ]),
      ),
      golden: [...present.keys()],
    },
    found,
    wrongGolden: [...present.values()].filter((text) => text !== null),
  }
}

/** Keeps the rows with the smallest hashes: the same rows are chosen again however many others there are. */
function sample(sketch: [number, string, number][], id: string, value: number): void {
  const hash = fnv(id)
  const same = sketch.findIndex(([, other]) => other === id)
  if (same !== -1) sketch[same]![2] = value
  else if (sketch.length < SAMPLES || hash < sketch.at(-1)![0]) {
    sketch.push([hash, id, value])
    sketch.sort(([a], [b]) => a - b)
    sketch.length = Math.min(sketch.length, SAMPLES)
  }
}

function fnv(text: string): number {
  let hash = 0x811c9dc5
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193)
  return hash >>> 0
}
