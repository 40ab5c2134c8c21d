import { CopyIcon } from '../../../../ui/copy/copy-icon.tsx'
import { useCopy } from '../../../../ui/copy/use-copy.ts'
import type { MadeCall } from '../../call-log/made-call.ts'
import { ownServer } from '../../playground-api.ts'
import { playgroundText as text } from '../../text.ts'

const count = new Intl.NumberFormat('en-US')
const linkClass =
  'inline-flex items-center gap-1 rounded-control underline underline-offset-2 hover:text-ink pointer-coarse:min-h-11'

/** Shows the end of a receipt ID, because the beginnings are alike. */
const shownCharacters = 6

interface CallFactsProps {
  call: MadeCall
  refused: boolean
  /** Shows an entry of the log. */
  onShowEntry: (id: string) => void
}

/** Cost, balance, receipt and log entry of a call, in one line. */
export function CallFacts({ call, refused, onShowEntry }: CallFactsProps) {
  const { credits, remaining, receipts, durationMs, entries, serverName } = call
  const unknown = refused && serverName === ownServer ? text.costUnknown : null
  const cost =
    credits === null ? unknown : credits === 0 ? (refused ? text.notCharged : text.free) : text.credits(credits)
  const left =
    remaining === null
      ? null
      : remaining === 'unlimited'
        ? text.unlimitedLeft
        : text.creditsLeft(count.format(remaining))
  const [entry] = entries
  return (
    <ul className="flex flex-wrap items-center gap-x-3 gap-y-0.5 text-small figures text-muted">
      {cost && <li className="font-strong text-ink">{cost}</li>}
      {left && <li>{left}</li>}
      {durationMs !== null && <li>{count.format(durationMs)} ms</li>}
      {receipts.map((receipt) => (
        <li key={receipt}>
          <Receipt id={receipt} />
        </li>
      ))}
      {entry !== undefined && (
        <li>
          <button type="button" className={linkClass} onClick={() => onShowEntry(entry)}>
            {text.viewInLog}
          </button>
        </li>
      )}
    </ul>
  )
}

function Receipt({ id }: { id: string }) {
  const { copied, copy } = useCopy()
  return (
    <button type="button" title={id} className={linkClass} onClick={() => void copy(id, text.receiptCopied)}>
      {text.receipt} <code className="font-mono">…{id.slice(-shownCharacters)}</code>
      <CopyIcon copied={copied} />
      <span className="sr-only">{text.copyReceipt}</span>
    </button>
  )
}
