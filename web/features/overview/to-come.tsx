import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { formatWhole } from '../../lib/format.ts'
import { Card } from '../../ui/card.tsx'
import { ChartColumn, ChartLine, CreditCard } from '../../ui/icons/dashboard.ts'
import { KeyRound } from '../../ui/icons/docs.ts'
import type { Icon } from '../../ui/icons/icon.tsx'
import { Loading, Skeleton } from '../../ui/skeleton.tsx'
import { creditsQuery } from '../credits/queries.ts'
import { keysQuery } from '../keys/queries.ts'
import { subscriptionQuery } from '../plans/queries.ts'
import { usageQuery } from '../usage/queries.ts'
import { useRange } from '../usage/range-choice.tsx'
import { toComeText as text } from './text.ts'

/** What Overview will show, in one card, while there is nothing of it. */
export function ToCome() {
  const subscription = useQuery(subscriptionQuery)
  const credits = useQuery(creditsQuery)
  const keys = useQuery(keysQuery)
  const usage = useQuery(usageQuery(useRange()))
  return (
    <Card title={text.title} about={text.about}>
      <div className="grid gap-x-8 gap-y-5 sm:grid-cols-2 xl:grid-cols-4">
        <Part {...text.plan} icon={CreditCard} known={subscription.isSuccess}>
          <Link
            to="/dashboard/billing"
            hash="plans"
            className="inline-flex min-h-6 items-center text-accent underline-offset-4 hover:underline"
          >
            {text.seePlans}
          </Link>
        </Part>
        <Part
          {...text.credits}
          icon={ChartLine}
          known={credits.isSuccess}
          none={text.creditsLeft(formatWhole(credits.data?.remaining))}
        />
        <Part {...text.keys} icon={KeyRound} known={keys.isSuccess} />
        <Part {...text.requests} icon={ChartColumn} known={usage.isSuccess} />
      </div>
    </Card>
  )
}

interface PartProps {
  name: string
  loading: string
  none: string
  about: string
  icon: Icon
  known: boolean
  children?: ReactNode
}

const Part = ({ name, loading, none, about, icon: Icon, known, children }: PartProps) => (
  <section aria-label={name} className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-3">
    <Icon aria-hidden="true" className="mt-0.5 size-5 text-muted" />
    <div>
      <h3 className="text-muted">{name}</h3>
      <div className="h-5 font-strong figures">
        {known ? (
          none
        ) : (
          <Loading label={loading}>
            <Skeleton className="h-4 w-28" />
          </Loading>
        )}
      </div>
      <p className="mt-0.5 text-muted">{about}</p>
      {children}
    </div>
  </section>
)
