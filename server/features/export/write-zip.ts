import { Zip, ZipDeflate } from 'fflate'
import type pg from 'pg'
import { csvLine } from './csv.ts'
import type { Source } from './sources.ts'

const ROWS_AT_ONCE = 1_000
const PART_BYTES = 1_048_576

/** Writes a zip in pieces; `keep` gets about a megabyte at a time. */
export interface ZipWriter {
  /** Starts a file and returns the function that takes its text. Only one file is open at a time. */
  file: (name: string) => { write: (text: string) => void; end: () => void }
  /** Passes on full pieces. Call it between rows: it waits for the database. */
  flush: () => Promise<void>
  /** Ends the zip and returns its size. */
  end: () => Promise<number>
}

export function startZip(keep: (part: Buffer) => Promise<void>): ZipWriter {
  let waiting: Uint8Array[] = []
  let waitingBytes = 0
  let total = 0
  const zip = new Zip((error, chunk) => {
    if (error) throw error
    waiting.push(chunk)
    waitingBytes += chunk.length
    total += chunk.length
  })
  const hand = async (): Promise<void> => {
    if (waitingBytes === 0) return
    const part = Buffer.concat(waiting)
    waiting = []
    waitingBytes = 0
    await keep(part)
  }
  return {
    file(name) {
      const entry = new ZipDeflate(name, { level: 6 })
      zip.add(entry)
      return {
        write: (text) => entry.push(Buffer.from(text)),
        end: () => entry.push(new Uint8Array(), true),
      }
    },
    flush: async () => {
      if (waitingBytes >= PART_BYTES) await hand()
    },
    async end() {
      zip.end()
      await hand()
      return total
    },
  }
}

/** Writes one source as `name`.json and `name`.csv, row by row through a cursor, inside the caller's transaction. */
export async function writeSource(
  client: pg.PoolClient,
  zip: ZipWriter,
  folder: string,
  { file, sql, without = [] }: Source,
  id: string | number,
): Promise<void> {
  // A cursor takes no parameters. Both kinds of id are already validated: a uuid, or our own number.
  const query = sql.replaceAll('$1', typeof id === 'number' ? String(id) : `'${id}'::uuid`)
  const columns = await columnsOf(client, query, without)
  const json = zip.file(`${folder}${file}.json`)
  json.write('[')
  let first = true
  for await (const row of rows(client, query)) {
    json.write(`${first ? '\n' : ',\n'}${JSON.stringify(Object.fromEntries(columns.map((name) => [name, row[name]])))}`)
    first = false
    await zip.flush()
  }
  json.write('\n]\n')
  json.end()
  const csv = zip.file(`${folder}${file}.csv`)
  csv.write(csvLine(columns))
  for await (const row of rows(client, query)) {
    csv.write(csvLine(columns.map((name) => row[name])))
    await zip.flush()
  }
  csv.end()
}

const BYTEA = 17

/** The exportable columns: no binary ones, which are hashes and ciphertexts. */
async function columnsOf(client: pg.PoolClient, query: string, without: readonly string[]): Promise<string[]> {
  const { fields } = await client.query(`select * from (${query}) rows limit 0`)
  return fields
    .filter(({ name, dataTypeID }) => dataTypeID !== BYTEA && !without.includes(name))
    .map(({ name }) => name)
}

async function* rows(client: pg.PoolClient, query: string): AsyncGenerator<Record<string, unknown>> {
  await client.query(`declare export_rows no scroll cursor for ${query}`)
  for (;;) {
    const { rows: page } = await client.query(`fetch ${ROWS_AT_ONCE} from export_rows`)
    if (page.length === 0) break
    yield* page
  }
  await client.query('close export_rows')
}
