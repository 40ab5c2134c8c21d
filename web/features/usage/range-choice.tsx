import { useNavigate, useSearch } from '@tanstack/react-router'
import type { UsageRange } from '#contract/usage.ts'
import { Segments } from '../../ui/segments.tsx'
import { defaultRange, ranges, readRange } from './range.ts'

const options = ranges.map((range) => ({ value: range, label: range.replace(/(\d+)/, '$1 ') }))

/** The range is in the URL, so that a reload or a shared link shows the same. */
export function useRange(): UsageRange {
  const { range } = useSearch({ strict: false }) as { range?: unknown }
  return readRange(range)
}

export function RangeChoice({ range }: { range: UsageRange }) {
  const navigate = useNavigate()
  const choose = (next: UsageRange) =>
    navigate({
      to: '.',
      search: (search: Record<string, unknown>) => ({ ...search, range: next === defaultRange ? undefined : next }),
      replace: true,
      resetScroll: false,
    })
  return <Segments label="Range" look="frame" value={range} options={options} onChange={choose} />
}
