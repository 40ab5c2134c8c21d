import { AskedToWait, type Connector, NotThere, type Row, type SourceRequest } from './connector.ts'
import { documentsOf } from './documents.ts'
import {
  type Fetched,
  fetchAnswer,
  LONGEST_WAIT_MS,
  MAX_TRIES,
  Throttled,
  type Validators,
  type Wire,
} from './fetch-answer.ts'
import { withoutSecret } from './hide-secret.ts'

type Read = Exclude<Fetched, { outcome: 'body' }> | (Extract<Fetched, { outcome: 'body' }> & Rows)
interface Rows {
  rows: Map<string, Row[]>
  learned: Record<string, string>
}

/**
 * One answer as rows. Also understands sources that ask to wait, or say that they have nothing, with status 200. Throws as
 * fetchAnswer and the connector's parse.
 */
export async function fetchAndParse(
  connector: Connector,
  request: SourceRequest,
  known: Validators,
  path: string,
  wire: Wire,
): Promise<Read> {
  for (let tries = 1; ; tries++) {
    const fetched = await fetchAnswer(request, known, path, wire)
    if (fetched.outcome !== 'body') return fetched
    try {
      return { ...fetched, ...(await parsed(connector, request, path, wire.secret)) }
    } catch (error) {
      if (error instanceof NotThere && request.optional) return { outcome: 'missing' }
      if (!(error instanceof AskedToWait)) throw error
      const waitMs = error.seconds * 1000
      if (waitMs > LONGEST_WAIT_MS || tries >= MAX_TRIES) throw new Throttled(error.message, wire.now() + waitMs)
      await wire.sleep(waitMs)
    }
  }
}

async function parsed(
  connector: Connector,
  request: SourceRequest,
  path: string,
  secret: string | null,
): Promise<Rows> {
  const rows = new Map<string, Row[]>()
  const learned: Record<string, string> = {}
  for await (const { bytes, file } of documentsOf(path)) {
    const found = parseWithoutSecret(connector, request, bytes, file, secret)
    for (const [dataset, list] of Object.entries(found.rows)) {
      const all = rows.get(dataset) ?? []
      for (const row of list) all.push(row)
      rows.set(dataset, all)
    }
    Object.assign(learned, found.learned)
  }
  return { rows, learned }
}

/** Messages quote the beginning of an answer, which can have a part of the key: then it is read again without the key. */
function parseWithoutSecret(
  connector: Connector,
  request: SourceRequest,
  bytes: Uint8Array,
  file: string | null,
  secret: string | null,
) {
  try {
    return connector.parse(bytes, request, file)
  } catch (error) {
    const text = Buffer.from(bytes).toString('latin1')
    const clean = withoutSecret(text, secret)
    if (clean === text) throw error
    return connector.parse(Buffer.from(clean, 'latin1'), request, file)
  }
}
