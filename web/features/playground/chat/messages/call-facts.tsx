import { FactsLine, linkClass } from '../../../answer/facts-line.tsx'
import type { MadeCall } from '../../call-log/made-call.ts'
import { ownServer } from '../../own-server.ts'
import { playgroundText as text } from '../../text.ts'

interface CallFactsProps {
  call: MadeCall
  refused: boolean
  /** Shows an entry of the log. */
  onShowEntry: (id: string) => void
}

/** Cost, balance, receipts and log entry of a call. */
export function CallFacts({ call, refused, onShowEntry }: CallFactsProps) {
  const { credits, serverName } = call
  const [entry] = call.entries
  return (
    <FactsLine facts={{ ...call, status: null, at: null, refused }}>
      {credits === null && refused && serverName === ownServer && (
        <li className="font-strong text-ink">{text.costUnknown}</li>
      )}
      {entry !== undefined && (
        <li>
          <button type="button" className={linkClass} onClick={() => onShowEntry(entry)}>
            {text.viewInLog}
          </button>
        </li>
      )}
    </FactsLine>
  )
}
