import { z } from 'zod'

const hostLimit = z.strictObject({
  /** Hosts that share the limit. */
  hosts: z.array(z.string()).min(1),
  requests: z.int().positive(),
  perSeconds: z.number().positive(),
})

/** What a connector is, as data: when it runs, how gently, on which terms, and what must never change. */
const connectorManifest = z.strictObject({
  name: z.string().regex(/^[a-z][a-z0-9]*$/),
  title: z.string().min(1),
  homepage: z.url(),
  /** Five cron fields, in UTC. */
  schedule: z.string().regex(/^(\S+ ){4}\S+$/),
  /** Data older than this is shown as stale. */
  staleAfterHours: z.number().positive(),
  limits: z.array(hostLimit).min(1),
  timeoutSeconds: z.int().positive(),
  /** How long to wait after 429 if the answer does not say. */
  throttledSeconds: z.int().positive().optional(),
  /** The source refuses requests that do not name a contact. */
  contactRequired: z.boolean(),
  /** The operator chooses what to fetch: `--symbols`. */
  selective: z.boolean(),
  /** Environment variable with the operator's key; null if the source needs none. */
  secret: z.string().nullable(),
  terms: z.strictObject({
    license: z.string(),
    attribution: z.string(),
    url: z.url(),
    redistribution: z.enum(['open', 'internal']),
    /** Whether the terms allow giving the data to AI clients. null: they do not say, so ask the source. */
    aiClients: z.boolean().nullable(),
    notes: z.array(z.string()),
  }),
  /** Published values that must never change: rows that `match` have `value`. */
  golden: z.array(
    z.strictObject({
      dataset: z.string(),
      match: z.record(z.string(), z.string()),
      field: z.string(),
      value: z.number(),
    }),
  ),
})
export type ConnectorManifest = z.infer<typeof connectorManifest>

export const readConnectorManifest = (given: unknown): ConnectorManifest => connectorManifest.parse(given)

export interface SourceRequest {
  /** The part of the data that the answer replaces. Later parts (in name order) win over earlier ones. */
  part: string
  /** Without secrets: `{secret}` in the URL or a header stands for the operator's key. */
  url: string
  headers?: Record<string, string>
  /** Sent with POST. */
  body?: string
  /** Fetched once; later runs keep what they have. */
  once?: boolean
  /**
   * The source may not have it; then there is simply no such part. true: a wrong answer also leaves only this part out;
   * missing: a wrong answer still fails the run.
   */
  optional?: true | 'missing'
  /** What `parse` has to know about the request. */
  about?: Record<string, string>
  /** Learned when the answer is good, or when the source does not have it. */
  learns?: Record<string, string>
  learnsIfMissing?: Record<string, string>
}

export type Row = Record<string, string | number | null>

export interface Parsed {
  /** Rows by dataset id. */
  rows: Record<string, Row[]>
  /** What later requests of this and later runs depend on: "latest filing of a company". */
  learned?: Record<string, string>
}

export interface PlanState {
  today: string
  /** What the operator asked for (`--symbols`), or asked for in an earlier run. */
  selection: readonly string[]
  learned: Readonly<Record<string, string>>
  /** Parts that are held, with the date they were fetched. */
  held: Readonly<Record<string, string>>
}

/** A dataset that a connector publishes, given what its rows contain. */
export interface DatasetOf {
  id: string
  /** Columns that name a row's series or symbol, its date, and its value, for the checks. */
  keys: { key: string; date: string; value: string | null; identity: string[] }
  /** The dataset manifest without its source. `names` are the different keys of the rows. */
  file: (names: readonly string[], learned: PlanState['learned']) => Record<string, unknown>
}

export interface Connector {
  manifest: ConnectorManifest
  /**
   * The requests that are needed. Asked again after each round with what was learned, until nothing new is needed. Pure.
   */
  plan: (state: PlanState) => SourceRequest[]
  /** The rows of one answer, or of one file of a zip. Throws BadAnswer. Pure. */
  parse: (bytes: Uint8Array, request: SourceRequest, file: string | null) => Parsed
  datasets: readonly DatasetOf[]
  /** What was selected and does not exist at the source, for the report. */
  unknown?: (state: PlanState) => string[]
}

/** An answer that is not the data: an error text with status 200, a web page, a cut file. Nothing of it is kept. */
export class BadAnswer extends Error {
  override name = 'BadAnswer'
}

/** The source says with status 200 that it does not have what was asked for. */
export class NotThere extends BadAnswer {
  override name = 'NotThere'
}

/** The source says with status 200 that there were too many requests. */
export class AskedToWait extends BadAnswer {
  override name = 'AskedToWait'
  readonly seconds: number
  constructor(message: string, seconds: number) {
    super(message)
    this.seconds = seconds
  }
}

/** The source does not accept the operator's key or name; nothing else can be asked. */
export class RefusedByName extends Error {
  override name = 'RefusedByName'
}

export const textOf = (bytes: Uint8Array): string => new TextDecoder('utf-8', { fatal: true }).decode(bytes)

/** The answer as JSON. Throws BadAnswer with the beginning of what came instead. */
export function jsonOf<T>(bytes: Uint8Array, shape: z.ZodType<T>): T {
  let given: unknown
  try {
    given = JSON.parse(textOf(bytes))
  } catch {
    throw new BadAnswer(`the answer is not JSON: ${beginning(bytes)}`)
  }
  const parsed = shape.safeParse(given)
  if (parsed.success) return parsed.data
  const { path, message } = parsed.error.issues[0]!
  throw new BadAnswer(`the answer has another form (${path.join('.') || 'top'}: ${message}): ${beginning(bytes)}`)
}

/** A number in digits, such as -0.25 or .5; NaN for everything else, also for what JavaScript would accept: 0x4, 1e3. */
export const plainNumber = (text: string): number =>
  /^[-+]?(\d+\.?\d*|\.\d+)$/.test(text.trim()) ? Number(text) : Number.NaN

/** Whether a text is a day of the calendar, such as 2024-02-29. */
export const isDay = (text: string): boolean => z.iso.date().safeParse(text).success

/** Rows of a file with as many cells as its header; a row with fewer was cut, perhaps in the middle of a number. */
export function wholeRows<T extends { cells: readonly string[]; line: number }>(header: T, rows: readonly T[]): T[] {
  const cut = rows.find(({ cells }) => cells.length !== header.cells.length)
  if (cut) throw new BadAnswer(`line ${cut.line} has ${cut.cells.length} cells instead of ${header.cells.length}`)
  return [...rows]
}

/** The first words of an answer, for messages. */
export const beginning = (bytes: Uint8Array): string =>
  JSON.stringify(Buffer.from(bytes.subarray(0, 120)).toString('latin1').replaceAll(/\s+/g, ' ').trim())
