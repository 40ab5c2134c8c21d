import { zstdCompressSync, zstdDecompressSync } from 'node:zlib'
import type { Compressors, SchemaElement } from 'hyparquet'
import type { ColumnSource } from 'hyparquet-writer'

/** A row of usage_events, with the names that the database gives its columns. */
export interface ArchivedCall {
  account_id: number
  at_micros: number
  batch: string
  n: number
  key_id: number | null
  tool_id: number
  duration_ms: number
  from_credits: number
  from_payg: number
  success: boolean
  /** Null: not known. Absent in files of earlier releases. */
  units: number | null
}

type Place = Pick<ArchivedCall, 'at_micros' | 'batch' | 'n'>

/** Oldest first: the order of an account's calls. */
export const byAge = (one: Place, other: Place): number =>
  one.at_micros - other.at_micros || (one.batch < other.batch ? -1 : one.batch > other.batch ? 1 : one.n - other.n)

/** Few enough that one account's calls of a day cost little to read; encoding a group takes milliseconds. */
export const ROWS_PER_GROUP = 10_000

const required = (name: string, type: SchemaElement['type'], more: Partial<SchemaElement> = {}): SchemaElement => ({
  name,
  type,
  repetition_type: 'REQUIRED',
  ...more,
})

/** Plain types that every reader knows. A call's receipt follows from account, at, batch and n. */
const columns: SchemaElement[] = [
  required('account_id', 'INT64'),
  required('at', 'INT64', {
    converted_type: 'TIMESTAMP_MICROS',
    logical_type: { type: 'TIMESTAMP', isAdjustedToUTC: true, unit: 'MICROS' },
  }),
  required('batch', 'FIXED_LEN_BYTE_ARRAY', { type_length: 16, logical_type: { type: 'UUID' } }),
  required('n', 'INT32'),
  { ...required('key_id', 'INT64'), repetition_type: 'OPTIONAL' },
  required('tool_id', 'INT32'),
  { ...required('tool', 'BYTE_ARRAY', { converted_type: 'UTF8' }), repetition_type: 'OPTIONAL' },
  required('duration_ms', 'INT32'),
  required('from_credits', 'INT32'),
  required('from_payg', 'INT32'),
  required('success', 'BOOLEAN'),
  { ...required('units', 'INT32'), repetition_type: 'OPTIONAL' },
]

export const schema: SchemaElement[] = [{ name: 'calls', num_children: columns.length }, ...columns]
export const compressWith = { ZSTD: (bytes: Uint8Array): Uint8Array => zstdCompressSync(bytes) }

/** How files are decoded: microseconds stay whole. A page declares its unpacked size (0 if all are null); more than that is an error. */
export const decodeWith = {
  compressors: {
    ZSTD: (input, size) => zstdDecompressSync(input, { maxOutputLength: Math.max(size, 1) }),
  } satisfies Compressors,
  parsers: { timestampFromMicroseconds: (micros: bigint) => Number(micros) },
}

/** The columns of some rows. `toolName`: null for a tool that has no name any more. */
export function toColumns(rows: ArchivedCall[], toolName: (toolId: number) => string | null): ColumnSource[] {
  const big = (value: number | null) => (value === null ? null : BigInt(value))
  return [
    { name: 'account_id', data: rows.map((row) => BigInt(row.account_id)) },
    { name: 'at', data: rows.map((row) => BigInt(row.at_micros)), encoding: 'DELTA_BINARY_PACKED' },
    { name: 'batch', data: rows.map((row) => row.batch) },
    { name: 'n', data: rows.map((row) => row.n) },
    { name: 'key_id', data: rows.map((row) => big(row.key_id)) },
    { name: 'tool_id', data: rows.map((row) => row.tool_id) },
    { name: 'tool', data: rows.map((row) => toolName(row.tool_id)) },
    { name: 'duration_ms', data: rows.map((row) => row.duration_ms) },
    { name: 'from_credits', data: rows.map((row) => row.from_credits) },
    { name: 'from_payg', data: rows.map((row) => row.from_payg) },
    { name: 'success', data: rows.map((row) => row.success) },
    { name: 'units', data: rows.map((row) => row.units) },
  ]
}

/** A row as the decoder returns it. */
export function toCall(row: Record<string, unknown>): ArchivedCall {
  return {
    account_id: Number(row.account_id),
    at_micros: Number(row.at),
    batch: String(row.batch),
    n: Number(row.n),
    key_id: row.key_id === null || row.key_id === undefined ? null : Number(row.key_id),
    tool_id: Number(row.tool_id),
    duration_ms: Number(row.duration_ms),
    from_credits: Number(row.from_credits),
    from_payg: Number(row.from_payg),
    success: row.success === true,
    units: row.units === null || row.units === undefined ? null : Number(row.units),
  }
}
