import type { StoredRows } from '../../tools/rows/row-columns.ts'
import type { Format } from '../rest-input.ts'
import { joinAnswer } from './answer-buffer.ts'
import { textPieces } from './kept-text.ts'
import { arrayLayout, csvLayout, objectLayout, type RowLayout } from './row-layout.ts'
import { answerText, rowsText } from './rows-text.ts'

const MOST_LAYOUTS = 200
const layouts = new Map<string, RowLayout>()

/** The row layout of these columns in `format`, and its name. */
export function layoutOf(columns: readonly string[], format: Format): { layout: RowLayout; form: string } {
  const form = `${format} ${columns.join()}`
  const known = layouts.get(form)
  if (known) return { layout: known, form }
  const made =
    format === 'csv'
      ? csvLayout(columns)
      : format === 'columns'
        ? arrayLayout(columns)
        : objectLayout(columns, format === 'ndjson' ? '\n' : ',')
  if (layouts.size < MOST_LAYOUTS) layouts.set(form, made)
  return { layout: made, form }
}

/** `head`, the rows in `format`, and `tail`. In JSON, rows are separated by commas. */
export function storedText(
  columns: readonly string[],
  rows: StoredRows,
  format: Format,
  { head, tail }: { head: string; tail: string },
): Buffer {
  const { layout, form } = layoutOf(columns, format)
  const { first, count, of } = rows
  const parted = count > 0 && (format === 'json' || format === 'columns')
  const kept = of === null || count === 0 ? null : textPieces({ ...rows, of }, layout, form, first, first + count)
  if (!kept) {
    const read = count === 0 ? [] : rows.read(first, first + count)
    const whole = answerText(layout, read, count, { head, tail, parted })
    if (whole) return whole
  }
  const pieces = kept ?? [rowsText(layout, rows.read(first, first + count), count)]
  if (parted) pieces.push(pieces.pop()!.subarray(0, -1))
  return joinAnswer([Buffer.from(head), ...pieces, Buffer.from(tail)])
}
