import { clsx } from 'clsx'
import { answerParts } from './answer-parts.ts'
import type { Answer } from './send-call.ts'
import { runnerText as text } from './text.ts'

/** Status, time, cost, what is left, and the receipt. What the server did not send is left out. */
export function ReceiptLine({ answer }: { answer: Answer }) {
  const { status, receipt } = answer
  return (
    <p className="flex flex-wrap items-center gap-x-3 gap-y-1 text-small figures text-muted">
      <span
        className={clsx(
          'rounded-[6px] border px-1.5 py-0.5 font-strong',
          status < 400
            ? 'border-success-line bg-success-soft text-success'
            : 'border-danger-line bg-danger-soft text-danger',
        )}
      >
        {status} {text.statuses[status] ?? ''}
      </span>
      {answerParts(answer).map((part) => (
        <span key={part}>{part}</span>
      ))}
      {receipt && <code className="font-mono break-all">{receipt}</code>}
    </p>
  )
}
