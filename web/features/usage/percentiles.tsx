import type { Latency } from '#contract/usage.ts'
import { formatWhole } from '../../lib/format.ts'

const about = 'Call duration: 50th, 95th and 99th percentile'

/** Duration percentiles; values below a millisecond are not distinguished. */
export default function Percentiles({ latency }: { latency: Latency }) {
  return (
    <dl title={about} className="flex flex-wrap gap-x-6 gap-y-1 figures">
      {(['p50', 'p95', 'p99'] as const).map((name) => (
        <div key={name} className="flex gap-2">
          <dt className="text-muted">{name}</dt>
          <dd className="text-ink">{latency[name] === 0 ? '< 1 ms' : `${formatWhole(latency[name])} ms`}</dd>
        </div>
      ))}
    </dl>
  )
}
