import { Link } from '@tanstack/react-router'
import { useSettings } from '../../lib/settings.ts'
import { buttonClass } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { keysText } from './text.ts'

/** The steps to the first key, for a workspace without a plan. `quiet`: the page's first action is elsewhere. */
export function GetKeyCard({ quiet }: { quiet: boolean }) {
  const { publicUrl } = useSettings()
  return (
    <Card title={keysText.getYours}>
      <ol className="grid gap-x-6 gap-y-4 sm:grid-cols-2 xl:grid-cols-4">
        {keysText.steps.map(({ title, about }, index) => (
          <li key={title} className="flex min-w-0 gap-3">
            <span
              aria-hidden="true"
              className="grid size-6 shrink-0 place-items-center rounded-full border border-line-strong text-small font-strong text-muted figures"
            >
              {index + 1}
            </span>
            <div className="min-w-0">
              <p className="font-strong">{title}</p>
              <p className="mt-0.5 text-muted">{about}</p>
              {index === keysText.steps.length - 1 && (
                <code className="mt-1 block font-mono text-small [overflow-wrap:anywhere]">
                  {publicUrl}
                  <wbr />
                  /mcp?apikey=
                  <wbr />
                  YOUR_API_KEY
                </code>
              )}
            </div>
          </li>
        ))}
      </ol>
      <Link
        to="/dashboard/billing"
        hash="plans"
        className={buttonClass({ look: quiet ? 'secondary' : 'primary', className: 'mt-5' })}
      >
        Choose a Plan
      </Link>
    </Card>
  )
}
