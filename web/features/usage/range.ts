import type { UsageRange } from '#contract/usage.ts'

export const ranges: readonly UsageRange[] = ['24h', '7d', '30d', '90d']
export const defaultRange: UsageRange = '30d'

/** The range of an address; anything unknown is the default. */
export const readRange = (value: unknown): UsageRange => ranges.find((range) => range === value) ?? defaultRange

/** The search parameters of a page that has a range. */
export const rangeSearch = (search: Record<string, unknown>): { range?: UsageRange } =>
  readRange(search.range) === defaultRange ? {} : { range: readRange(search.range) }
