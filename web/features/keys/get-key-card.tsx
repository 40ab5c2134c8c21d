import { Link } from '@tanstack/react-router'
import { clsx } from 'clsx'
import { useSettings } from '../../lib/settings.ts'
import { buttonClass } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { KeyUses } from './key-uses.tsx'
import { keysText } from './text.ts'

interface GetKeyCardProps {
  /** The page's first action is elsewhere. */
  quiet: boolean
  /** There are no keys, and nothing else says so. */
  none: boolean
}

/** The steps to the first key and what it is for, for a workspace without a plan. */
export function GetKeyCard({ quiet, none }: GetKeyCardProps) {
  const { publicUrl } = useSettings()
  return (
    <Card title={keysText.getYours}>
      {none && (
        <section aria-label={keysText.title} className="mb-5 flex flex-wrap gap-x-2">
          <h3 className="font-strong">{keysText.none}</h3>
          <p className="text-muted">{keysText.noneYet}</p>
        </section>
      )}
      <ol className="grid gap-x-6 gap-y-4 sm:grid-cols-2 xl:grid-cols-4">
        {keysText.steps.map(({ title, about }, index) => (
          <li key={title} className="flex min-w-0 gap-3">
            <span
              aria-hidden="true"
              className={clsx(
                'grid size-6 shrink-0 place-items-center rounded-full border text-small font-strong figures',
                index === 0 ? 'border-accent-line bg-accent-soft text-accent' : 'border-line-strong text-muted',
              )}
            >
              {index + 1}
            </span>
            <div className="min-w-0">
              <p className={clsx('font-strong', index > 0 && 'text-muted')}>{title}</p>
              <p className="mt-0.5 text-muted">{about}</p>
              {index === 0 && (
                <Link
                  to="/dashboard/billing"
                  hash="plans"
                  className={buttonClass({ look: quiet ? 'secondary' : 'primary', className: 'mt-3' })}
                >
                  Choose a Plan
                </Link>
              )}
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
      <div className="mt-5 border-t border-line pt-5">
        <KeyUses />
      </div>
    </Card>
  )
}
