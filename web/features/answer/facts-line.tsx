import { clsx } from 'clsx'
import type { ReactNode } from 'react'
import { CopyIcon } from '../../ui/copy/copy-icon.tsx'
import { useCopy } from '../../ui/copy/use-copy.ts'
import { answerText as text } from './text.ts'

/** What is known about a call besides its data. Null: the server did not say. */
export interface Facts {
  /** Of HTTP; MCP has none. */
  status: number | null
  at: Date | null
  durationMs: number | null
  credits: number | null
  remaining: number | 'unlimited' | null
  receipts: readonly string[]
  /** The call was refused, and has no data. */
  refused: boolean
}

export const linkClass =
  'inline-flex items-center gap-1 rounded-control underline underline-offset-2 hover:text-ink pointer-coarse:min-h-11'
const clock = new Intl.DateTimeFormat('en-US', { timeStyle: 'medium' })

/** Status, cost, balance, duration, time and receipts of a call, in one line. `children` are further items. */
export function FactsLine({ facts, children }: { facts: Facts; children?: ReactNode }) {
  const { status, at, durationMs, credits, remaining, receipts, refused } = facts
  return (
    <ul className="flex flex-wrap items-center gap-x-3 gap-y-0.5 text-small figures text-muted">
      {status !== null && (
        <li
          className={clsx(
            'rounded-[6px] border px-1.5 py-0.5 font-strong',
            status < 400
              ? 'border-success-line bg-success-soft text-success'
              : 'border-danger-line bg-danger-soft text-danger',
          )}
        >
          {`${status} ${text.statuses[status] ?? ''}`.trim()}
        </li>
      )}
      {credits !== null && (
        <li className="font-strong text-ink">
          {credits > 0 ? text.credits(credits) : refused ? text.notCharged : text.free}
        </li>
      )}
      {remaining !== null && <li>{remaining === 'unlimited' ? text.unlimitedLeft : text.left(remaining)}</li>}
      {durationMs !== null && <li>{text.duration(durationMs)}</li>}
      {at && (
        <li>
          <time dateTime={at.toISOString()}>{clock.format(at)}</time>
        </li>
      )}
      {receipts.map((receipt) => (
        <li key={receipt}>
          <Receipt id={receipt} />
        </li>
      ))}
      {children}
    </ul>
  )
}

/** The beginnings of receipt IDs are alike. */
const shortened = (id: string) => (id.length > 20 ? `${id.slice(0, 5)}…${id.slice(-8)}` : id)

function Receipt({ id }: { id: string }) {
  const { copied, copy } = useCopy()
  return (
    <button type="button" title={id} className={linkClass} onClick={() => void copy(id, text.receiptCopied)}>
      <code className="font-mono">{shortened(id)}</code>
      <CopyIcon copied={copied} />
      <span className="sr-only">{text.copyReceipt}</span>
    </button>
  )
}
