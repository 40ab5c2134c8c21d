import type { StoredRows } from './row-columns.ts'
import { type RowLayout, rowsText } from './row-layout.ts'

/** Rows of one piece of text. A year of daily bars touches two. */
const BLOCK_ROWS = 256
/** All text that is kept, in both generations together: a price that every process pays once, whatever it holds. */
export const KEPT_BYTES = 64 * 2 ** 20

/** The text of up to `BLOCK_ROWS` rows, and where each ends. */
interface Block {
  bytes: Buffer
  ends: Uint32Array
}

/**
 * Text of rows that do not change, written once and then copied. Bounded: when the young half is full it becomes the
 * old one, and what was old and not asked for since is gone.
 */
let young = new Map<string, Block>()
let old = new Map<string, Block>()
let youngBytes = 0

const names = new WeakMap<object, number>()
let named = 0

/** What is kept at the moment, for tests and measurements. */
export const keptBytes = (): number =>
  [...new Set([...young.values(), ...old.values()])].reduce((sum, block) => sum + sizeOf(block), 0)

export function forgetText(): void {
  young = new Map()
  old = new Map()
  youngBytes = 0
}

/** The text of rows `first` to `end` (exclusive) of `rows.all` in `layout`, piece by piece. `form` tells layouts apart. */
export function textPieces(
  rows: StoredRows & { of: object },
  layout: RowLayout,
  form: string,
  first: number,
  end: number,
): Buffer[] {
  const prefix = `${nameOf(rows.of)} ${rows.variant} ${form} `
  const pieces: Buffer[] = []
  for (let from = first; from < end; ) {
    const index = Math.floor(from / BLOCK_ROWS)
    const start = index * BLOCK_ROWS
    const until = Math.min(end, start + BLOCK_ROWS)
    const { bytes, ends } = block(rows, layout, prefix + index, start)
    const begins = from === start ? 0 : ends[from - start - 1]!
    pieces.push(bytes.subarray(begins, ends[until - start - 1]!))
    from = until
  }
  return pieces
}

function block(rows: StoredRows, layout: RowLayout, name: string, start: number): Block {
  const recent = young.get(name)
  if (recent) return recent
  const found = old.get(name) ?? write(rows, layout, start)
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

const sizeOf = ({ bytes, ends }: Block): number => bytes.length + ends.byteLength

function nameOf(of: object): number {
  const known = names.get(of)
  if (known !== undefined) return known
  named += 1
  names.set(of, named)
  return named
}
