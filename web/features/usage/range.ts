import type { UsageRange } from '#contract/usage.ts'

export const ranges: readonly UsageRange[] = ['24h', '7d', '30d', '90d']
export const defaultRange: UsageRange = '30d'

/** The range from the URL; unknown values give the default. */
export const readRange = (value: unknown): UsageRange => ranges.find((range) => range === value) ?? defaultRange

/** Search parameters of pages with a range. */
export const rangeSearch = (search: Record<string, unknown>): { range?: UsageRange } =>
  readRange(search.range) === defaultRange ? {} : { range: readRange(search.range) }
