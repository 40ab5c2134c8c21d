import { parseArgs } from 'node:util'

export type Dimension = 'accounts' | 'operations' | 'rows'
export type Size = Record<Dimension, number>

export const dimensions: Dimension[] = ['accounts', 'operations', 'rows']
export const dimensionNames: Record<Dimension, string> = {
  accounts: 'accounts that call',
  operations: 'operations for sale',
  rows: 'usage rows',
}

/** What the other dimensions are while one grows. */
export const smallest: Size = { accounts: 10, operations: 10, rows: 1 }
const larger: Record<Dimension, number[]> = {
  accounts: [1_000, 100_000],
  operations: [1_000],
  rows: [1_000_000, 20_000_000],
}
/** Of usage rows, where fewer are measured. */
export const EXTRAPOLATED = 100_000_000
/** What the generator and one description can hold. */
const most: Size = { accounts: 200_000, operations: 5_000, rows: 1_000_000_000 }

/** The sizes of each dimension that are measured, up to `largest`, without the smallest. */
export const sizesUpTo = (largest: Partial<Size>): Record<Dimension, number[]> => ({
  accounts: upTo('accounts', largest.accounts),
  operations: upTo('operations', largest.operations),
  rows: upTo('rows', largest.rows),
})

const upTo = (dimension: Dimension, largest = larger[dimension].at(-1)!): number[] => [
  ...larger[dimension].filter((size) => size < largest),
  largest,
]

/** The largest sizes that the command line names. Throws a message for the user when one is invalid. */
export function readLargest(words: string[]): Partial<Size> {
  const { values } = parseArgs({
    args: words,
    options: {
      growth: { type: 'boolean' },
      docs: { type: 'boolean' },
      accounts: { type: 'string' },
      operations: { type: 'string' },
      rows: { type: 'string' },
    },
  })
  const largest: Partial<Size> = {}
  for (const dimension of dimensions) {
    const text = values[dimension]
    if (text === undefined) continue
    const value = Number(text)
    if (!Number.isInteger(value) || value <= smallest[dimension] || value > most[dimension])
      throw new Error(
        `--${dimension} must be a whole number from ${smallest[dimension] + 1} to ${most[dimension]}, not ${text}.`,
      )
    largest[dimension] = value
  }
  return largest
}
