import { visible } from '../../lib/visible.ts'
import { Badge } from '../../ui/badge.tsx'
import { AnswerView } from './answer-view.tsx'
import { ContentBlocks } from './content-blocks.tsx'
import { FactsLine } from './facts-line.tsx'
import { JsonBlock } from './json-block.tsx'
import type { Answer } from './send-call.ts'
import { answerText as text } from './text.ts'

interface RestAnswerProps {
  answer: Answer
  /** Stands where status and cost stand once a call was made. */
  recorded?: string
  /** What the answer is until then. */
  badge?: string
  /** A sentence about the answer, such as who paid for it. */
  note?: string
}

/** A response of the Data API: status, cost, time and receipt, then what it says. It fades in, so that a repeat is seen. */
export function RestAnswer({ answer, recorded, badge = text.recorded, note }: RestAnswerProps) {
  const { status, at, durationMs, charged, remaining, receipt, body } = answer
  return (
    <div aria-live="polite" className="mt-3">
      <div key={at?.getTime()} className="transition-opacity duration-200 motion-safe:starting:opacity-0">
        {at === null ? (
          <p className="flex flex-wrap items-center gap-x-3 gap-y-0.5 text-small text-muted">
            <Badge>{badge}</Badge>
            {recorded}
          </p>
        ) : (
          <FactsLine
            facts={{
              status,
              at,
              durationMs,
              credits: charged,
              remaining,
              receipts: receipt === null ? [] : [receipt],
              refused: status >= 400,
            }}
          />
        )}
        <div className="mt-3">{status >= 400 ? <Refusal body={body} /> : <Body body={body} />}</div>
        {note && <p className="mt-2 text-small text-muted">{note}</p>}
      </div>
    </div>
  )
}

function Body({ body }: { body: unknown }) {
  if (body === null || body === '') return <p className="text-muted">{text.noBody}</p>
  return typeof body === 'string' ? (
    <ContentBlocks blocks={[{ type: 'text', text: body }]} />
  ) : (
    <AnswerView data={{ structuredContent: body }} label={text.body} />
  )
}

/** An error as the API describes it (RFC 9457), with its JSON. */
function Refusal({ body }: { body: unknown }) {
  if (typeof body !== 'object' || body === null) return <Body body={body} />
  const { type, detail, docs } = body as { type?: unknown; detail?: unknown; docs?: unknown }
  return (
    <>
      {typeof detail === 'string' && (
        <p className="mb-2 text-body">
          <code className="font-mono text-small break-words">{visible(String(type ?? ''))}</code> {visible(detail)}{' '}
          {typeof docs === 'string' && docs.startsWith('/docs/') && (
            <a href={docs} className="text-accent underline underline-offset-2">
              {text.aboutError}
            </a>
          )}
        </p>
      )}
      <JsonBlock data={body} label={text.body} className="max-h-80" />
    </>
  )
}
