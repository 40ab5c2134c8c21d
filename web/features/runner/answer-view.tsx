import { clsx } from 'clsx'
import { answerText, pointsOf } from './answer-text.ts'
import { LinePicture } from './line-picture.tsx'
import { ReceiptLine } from './receipt-line.tsx'
import type { Answer } from './send-call.ts'
import { runnerText as text } from './text.ts'

interface AnswerViewProps {
  /** What the answer is about; names the chart. */
  name: string
  answer: Answer
  /** A sentence about the answer, such as who paid for it. */
  note?: string
}

/** A response at one glance: status, cost and receipt, its line over time if it has one, and its JSON. */
export function AnswerView({ name, answer, note }: AnswerViewProps) {
  const points = answer.status === 200 ? pointsOf(answer.body) : null
  return (
    <div aria-live="polite" className="mt-3">
      <ReceiptLine answer={answer} />
      {note && <p className="mt-1 text-small text-muted">{note}</p>}
      {points && (
        <div className="mt-3">
          <LinePicture name={name} points={points} />
        </div>
      )}
      <section
        aria-label={text.response}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
        tabIndex={0}
        className={clsx(
          'mt-3 overflow-auto rounded-control border border-line bg-sunken p-3 -outline-offset-2',
          points ? 'h-36' : 'h-89',
        )}
      >
        <pre className="font-mono text-small leading-5">{answerText(answer.body)}</pre>
      </section>
    </div>
  )
}
