export interface Series {
  name: string
  color: string
  /** One value for each point. */
  values: number[]
}

export const colors = {
  main: 'var(--chart-success)',
  bad: 'var(--chart-failed)',
  warn: 'var(--chart-refused)',
  quiet: 'var(--color-muted)',
} as const

/** Evenly spaced indexes, including the last one. */
export function tickIndexes(count: number, most: number): number[] {
  const step = Math.max(1, Math.ceil(count / most))
  return Array.from({ length: count }, (_, index) => index).filter((index) => (count - 1 - index) % step === 0)
}
