import type { Difference } from './field-text.ts'

/** `Price: $19.00 monthly → $29.00 monthly`, a line for each field; long texts only by name. */
export function DifferenceList({ changes }: { changes: readonly Difference[] }) {
  return (
    <ul className="list-disc space-y-0.5 pl-5 figures">
      {changes.map(({ label, before, after }) => {
        const isLong = Math.max(after.length, before?.length ?? 0) > 40
        return (
          <li key={label}>
            {label}
            {isLong ? ': changed' : `: ${before === null ? '' : `${before} → `}${after}`}
          </li>
        )
      })}
    </ul>
  )
}
