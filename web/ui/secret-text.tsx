import { clsx } from 'clsx'
import { maskKey } from '../lib/mask.ts'

/** A key in monospace: its first 8 characters and dots, or all of it. Screen readers hear that the rest is hidden. */
export function SecretText({ value, revealed, className }: { value: string; revealed: boolean; className?: string }) {
  return (
    <span className={clsx('font-mono text-small', revealed ? 'break-all' : 'whitespace-nowrap', className)}>
      {revealed ? (
        value
      ) : (
        <>
          {/* Fewer dots in narrow columns: their number means nothing. */}
          <span
            aria-hidden="true"
            className="max-xl:inline-block max-xl:max-w-[11ch] max-xl:overflow-hidden max-xl:align-bottom"
          >
            {maskKey(value)}
          </span>
          <span className="sr-only">{value.slice(0, 8)}, the rest is hidden</span>
        </>
      )}
    </span>
  )
}
