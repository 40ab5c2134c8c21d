import { Card, CardPlace } from '../../ui/card.tsx'
import { Loading, Skeleton } from '../../ui/skeleton.tsx'
import { creditsText } from '../credits/text.ts'
import { PlansLoading } from '../plans/plan-card.tsx'
import { gridClass } from './plan-grid.tsx'
import { billingText as text } from './text.ts'

/**
 * Billing in a browser that has not seen it yet: which notices and cards it has is known only with its data, so nothing
 * that can be read or pressed is shown before, and moved.
 */
export function BillingSkeleton() {
  return (
    <>
      <div className="grid gap-5 md:grid-cols-2">
        <CardSkeleton title={text.currentPlan} label={text.planLoading} />
        <CardSkeleton title={creditsText.credits} label={creditsText.creditsLoading} />
      </div>
      <PlansLoading label={text.loading} className={gridClass} />
      <div className="grid gap-5 md:grid-cols-2">
        <CardPlace />
        <CardPlace />
      </div>
    </>
  )
}

const CardSkeleton = ({ title, label }: { title: string; label: string }) => (
  <Card title={title}>
    <Loading label={label} className="space-y-3">
      <Skeleton className="h-8 w-32" />
      <Skeleton className="h-4 w-48" />
      <Skeleton className="h-4 w-36" />
    </Loading>
  </Card>
)
