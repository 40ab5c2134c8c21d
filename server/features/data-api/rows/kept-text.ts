import type { StoredRows } from '../../tools/rows/row-columns.ts'
import type { RowLayout } from './row-layout.ts'
import { rowsText } from './rows-text.ts'

/** Rows per cached block of text. */
const BLOCK_ROWS = 128
/** Limit of all cached text, both generations together: a fixed cost per process. */
export const KEPT_BYTES = 64 * 2 ** 20

/** The text of up to `BLOCK_ROWS` rows, and where each ends. */
interface Block {
  bytes: Buffer
  ends: Uint32Array
}

/** The size counted for a block that was requested only once: its entry, without text. */
const SEEN_BYTES = 128

/**
 * Cached text of rows that do not change. A block is cached on the second request (null: the first was seen); until
 * then only the requested rows are written, so that first use does no extra work and one pass through all data evicts
 * nothing. Bounded by two generations: when the young one is full it becomes the old one, and what the old one held and
 * nobody requested since is dropped.
 */
let young = new Map<string, Block | null>()
let old = new Map<string, Block | null>()
let youngBytes = 0

const names = new WeakMap<object, number>()
let named = 0

/** Current size, for tests and measurements. */
export const keptBytes = (): number =>
  [...new Map([...old, ...young]).values()].reduce((sum, block) => sum + sizeOf(block), 0)

export function forgetText(): void {
  young = new Map()
  old = new Map()
  youngBytes = 0
}

/**
 * The text of rows `first` to `end` (exclusive) of `rows.all` in `layout`, piece by piece; null if none of it is
 * cached. `form` tells layouts apart.
 */
export function textPieces(
  rows: StoredRows & { of: object },
  layout: RowLayout,
  form: string,
  first: number,
  end: number,
): Buffer[] | null {
  const prefix = `${nameOf(rows.of)} ${rows.variant} ${form} `
  const pieces: Buffer[] = []
  /** Rows from here on are not written yet. */
  let fresh = first
  const writeFresh = (until: number) => {
    if (until > fresh) pieces.push(rowsText(layout, rows.read(fresh, until), until - fresh))
  }
  for (let from = first; from < end; ) {
    const index = Math.floor(from / BLOCK_ROWS)
    const start = index * BLOCK_ROWS
    const until = Math.min(end, start + BLOCK_ROWS)
    const kept = block(rows, layout, prefix + index, start)
    if (kept) {
      writeFresh(from)
      const { bytes, ends } = kept
      pieces.push(bytes.subarray(from === start ? 0 : ends[from - start - 1]!, ends[until - start - 1]!))
      fresh = until
    }
    from = until
  }
  if (pieces.length === 0) return null
  writeFresh(end)
  return pieces
}

/** null on the first request. */
function block(rows: StoredRows, layout: RowLayout, name: string, start: number): Block | null {
  const recent = young.get(name)
  if (recent) return recent
  const before = recent === undefined ? old.get(name) : null
  const found = before === undefined ? null : (before ?? write(rows, layout, start))
  const size = sizeOf(found)
  if (youngBytes + size > KEPT_BYTES / 2) {
    old = young
    young = new Map()
    youngBytes = 0
  }
  young.set(name, found)
  youngBytes += size
  return found
}

function write(rows: StoredRows, layout: RowLayout, start: number): Block {
  const count = Math.min(BLOCK_ROWS, rows.all - start)
  const ends = new Uint32Array(count)
  return { bytes: rowsText(layout, rows.read(start, start + count), count, ends), ends }
}

const sizeOf = (block: Block | null): number => SEEN_BYTES + (block ? block.bytes.length + block.ends.byteLength : 0)

function nameOf(of: object): number {
  const known = names.get(of)
  if (known !== undefined) return known
  named += 1
  names.set(of, named)
  return named
}
