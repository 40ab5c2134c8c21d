import { type AsyncBuffer, type FileMetaData, parquetMetadataAsync, parquetReadObjects } from 'hyparquet'
import type { ArchiveStore } from './archive-store.ts'
import { type ArchivedCall, decodeWith, toCall } from './archived-call.ts'

/** An archived day, with what it says about itself at its end. */
export interface OpenFile {
  file: AsyncBuffer
  metadata: FileMetaData
}

/** A group of rows that is read at once; bounds are inclusive. */
export interface RowGroup {
  rowStart: number
  rowEnd: number
  accounts: Range
  micros: Range
}

interface Range {
  least: number
  most: number
}

const MOST_OPEN = 16
const opened = new WeakMap<ArchiveStore, Map<string, Promise<OpenFile>>>()

/** Opens a file; the ends of the last files are remembered, since files never change. */
export function openFile(store: ArchiveStore, name: string, bytes: number): Promise<OpenFile> {
  const files = opened.get(store) ?? new Map<string, Promise<OpenFile>>()
  opened.set(store, files)
  const known = files.get(name)
  files.delete(name)
  const found = known ?? readEnd(store.open(name, bytes))
  files.set(name, found)
  found.catch(() => files.delete(name))
  if (files.size > MOST_OPEN) files.delete(files.keys().next().value!)
  return found
}

/** Reads the end of a file anew. */
export async function readEnd(file: AsyncBuffer): Promise<OpenFile> {
  return { file, metadata: await parquetMetadataAsync(file, decodeWith) }
}

/** The groups of a file, in order. */
export function groupsOf({ metadata }: OpenFile): RowGroup[] {
  let rowStart = 0
  return metadata.row_groups.map((group) => {
    const range = (column: string): Range => {
      const found = group.columns.find(({ meta_data }) => meta_data?.path_in_schema[0] === column)?.meta_data
        ?.statistics
      return { least: Number(found?.min_value ?? -Infinity), most: Number(found?.max_value ?? Infinity) }
    }
    const rowEnd = rowStart + Number(group.num_rows)
    const of = { rowStart, rowEnd, accounts: range('account_id'), micros: range('at') }
    rowStart = rowEnd
    return of
  })
}

/** The rows of a group, in order. */
export async function readGroup({ file, metadata }: OpenFile, { rowStart, rowEnd }: RowGroup): Promise<ArchivedCall[]> {
  const rows = await parquetReadObjects({ file, metadata, rowStart, rowEnd, ...decodeWith })
  return rows.map(toCall)
}

/** Only the times of a group's rows, in order. */
export async function readMicros({ file, metadata }: OpenFile, { rowStart, rowEnd }: RowGroup): Promise<number[]> {
  const rows = await parquetReadObjects({ file, metadata, columns: ['at'], rowStart, rowEnd, ...decodeWith })
  return rows.map(({ at }) => Number(at))
}
