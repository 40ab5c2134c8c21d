import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import type { Secrets } from '../secrets/secrets.ts'

/** A path that stays inside its folder. */
const inside = z.string().regex(/^(?!.*(^|[\\/])\.\.)(?![\\/])/s)
const stored = { file: inside, sha256: z.string(), bytes: z.number() }

/** `manifest.json` of a backup, written last: without it, a backup is incomplete. */
const manifestSchema = z.object({
  format: z.literal(1),
  /** The release that made it. */
  release: z.string(),
  /** The time of the snapshot, by the database's clock. */
  takenAt: z.iso.datetime(),
  postgres: z.string(),
  /** The write-ahead log position when the snapshot was taken. */
  lsn: z.string(),
  /** A fingerprint of KEYS_SECRET, which it does not reveal. */
  keysSecret: z.string(),
  migrations: z.array(z.string()),
  buckets: z.array(z.number()),
  /** In the order in which they can be loaded. */
  tables: z.array(
    z.object({ schema: z.string(), name: z.string(), columns: z.array(z.string()), rows: z.number(), ...stored }),
  ),
  sequences: z.array(z.object({ table: z.string(), column: z.string(), last: z.string() })),
  /** Days with a partition of usage rows in any bucket. */
  usageDays: z.array(z.string()),
  /** Batches whose callers got a 503: the snapshot may still have their charges (decision 25). */
  givenUp: z.array(z.object({ bucket: z.number(), batch: z.string() })),
  /** Published datasets, by their path in FINMETER_DATA_DIR. */
  files: z.array(z.object({ path: inside.startsWith('datasets/'), ...stored })),
})

export type Manifest = z.infer<typeof manifestSchema>
export type TableCopy = Manifest['tables'][number]

/** Reads the manifest of the backup at `path`. Throws a sentence if there is none, or if its format is newer. */
export async function readManifest(path: string): Promise<Manifest> {
  const text = await readFile(join(path, 'manifest.json'), 'utf8').catch(() => {
    throw new Error(`${path} is not a complete backup: it has no manifest.json.`)
  })
  const parsed = manifestSchema.safeParse(parseJson(text))
  if (!parsed.success)
    throw new Error(`${join(path, 'manifest.json')} is damaged, or was written by a later release of Finmeter.`)
  return parsed.data
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

/** Tells secrets apart without revealing them. */
export const fingerprint = (secrets: Pick<Secrets, 'derive'>): string =>
  createHash('sha256').update(secrets.derive('backup.fingerprint')).digest('hex').slice(0, 16)
