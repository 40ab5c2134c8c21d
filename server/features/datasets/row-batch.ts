import type { DatasetFile } from './dataset-file.ts'

/** Some rows of a source, with cells in the order of the requested fields. */
export interface RowBatch {
  cells: readonly (readonly unknown[])[]
  /** The place of row `index` of this batch: `prices.csv line 12`. */
  where: (index: number) => string
}

export type Rows = AsyncIterable<RowBatch>

/** A value in an object by dotted path; undefined if missing. */
export function valueAt(object: unknown, path: string): unknown {
  let value = object
  for (const step of path.split('.')) {
    if (value === null || typeof value !== 'object') return undefined
    value = (value as Record<string, unknown>)[step]
  }
  return value
}

/** How a mapping reads its cell: from a column, from the entry of `each`, or as a constant. */
export function resolveConstants(
  fields: Record<string, string>,
  variables: Record<string, string>,
): { columns: string[]; pick: (read: (column: string) => unknown) => unknown[] } {
  const steps = Object.values(fields).map((source) => {
    if (source.startsWith('=')) return { constant: source.slice(1) }
    if (source.startsWith('$')) return { constant: variables[source.slice(1)] }
    return { column: source }
  })
  return {
    columns: steps.flatMap(({ column }) => column ?? []),
    pick: (read) => steps.map((step) => (step.column === undefined ? step.constant : read(step.column))),
  }
}

/** Objects as cells in the order of the dataset's fields. */
export function objectBatch(
  { fields }: DatasetFile,
  objects: readonly unknown[],
  variables: Record<string, string>,
  where: (index: number) => string,
): RowBatch {
  const { pick } = resolveConstants(fields, variables)
  return { cells: objects.map((object) => pick((column) => valueAt(object, column))), where }
}
