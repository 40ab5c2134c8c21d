import { rm } from 'node:fs/promises'
import { fileWriter, ParquetWriter } from 'hyparquet-writer'
import { type ArchivedCall, compressWith, schema, toColumns } from './archived-call.ts'
import { countCalls, type DayTotals } from './day-totals.ts'

export interface WrittenDay {
  totals: DayTotals
  /** SHA-256 of the rows. */
  digest: string
  bytes: number
}

/** Writes groups of rows to a new Parquet file at `path`. Memory does not grow with the number of groups. */
export async function writeDay(
  path: string,
  groups: AsyncIterable<ArchivedCall[]>,
  toolName: (toolId: number) => string | null,
): Promise<WrittenDay> {
  await rm(path, { force: true })
  const out = fileWriter(path)
  const parquet = new ParquetWriter({
    writer: out,
    schema,
    codec: 'ZSTD',
    compressors: compressWith,
    createdBy: 'finmeter',
  })
  const counted = countCalls()
  for await (const rows of groups) {
    counted.add(rows)
    await parquet.write({ columnData: toColumns(rows, toolName), rowGroupSize: rows.length })
  }
  await parquet.finish()
  return { ...counted.end(), bytes: out.offset }
}
