import type { ReactNode } from 'react'

interface Line {
  key: string
  title: ReactNode
  /** Nothing is asked of the operator. */
  quiet?: boolean
  body: ReactNode
  action?: ReactNode
}

/** Things with a sentence each, and at the right what can be done about them. */
export const Lines = ({ lines }: { lines: readonly Line[] }) => (
  <ul className="divide-y divide-line border-t border-line">
    {lines.map(({ key, title, quiet, body, action }) => (
      <li key={key} className="flex flex-wrap items-start justify-between gap-x-6 gap-y-2 px-5 py-3">
        <div className="min-w-0 flex-1 basis-80">
          <p className={`flex flex-wrap items-center gap-2 ${quiet ? 'text-muted' : 'font-strong'}`}>{title}</p>
          {body}
        </div>
        {action && <div className="flex flex-wrap gap-2">{action}</div>}
      </li>
    ))}
  </ul>
)
