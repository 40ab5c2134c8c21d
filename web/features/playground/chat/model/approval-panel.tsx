import { Button } from '../../../../ui/button.tsx'
import { playgroundText as text } from '../../text.ts'
import type { Approval } from './model-chat.ts'

/** The calls the model wants to make and their price; nothing is called before the user approves. */
export function ApprovalPanel({
  approval: { calls, credits },
  onDecide,
}: {
  approval: Approval
  onDecide: (allowed: boolean) => void
}) {
  return (
    <section
      aria-label={text.approvalTitle}
      className="mb-3 rounded-control border border-warning-line bg-warning-soft p-3"
    >
      <h3 className="font-strong">{text.approvalTitle}</h3>
      <ul className="mt-2 space-y-2">
        {calls.map((call) => (
          <li key={call.id} className="flex flex-wrap items-baseline gap-x-3 gap-y-1">
            <code className="font-mono font-strong break-all">{call.tool}</code>
            <code className="min-w-0 flex-1 basis-48 font-mono text-small break-all text-muted">
              {JSON.stringify(call.arguments)}
            </code>
            <span className="text-small figures">{text.credits(call.credits)}</span>
          </li>
        ))}
      </ul>
      <div className="mt-3 flex flex-wrap gap-2">
        <Button size="small" look="primary" onClick={() => onDecide(true)}>
          {text.allow(credits)}
        </Button>
        <Button size="small" onClick={() => onDecide(false)}>
          {text.decline}
        </Button>
      </div>
    </section>
  )
}
