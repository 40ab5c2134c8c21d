import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { buttonClass } from '../../../ui/button.tsx'
import { isNew } from '../../credits/is-new.ts'
import { creditsQuery } from '../../credits/queries.ts'
import { subscriptionQuery } from '../../plans/queries.ts'
import { playgroundText as text } from '../text.ts'

/** Says before the first call that a plan is missing, and leads to the plans. */
export default function NoPlan() {
  const { data: subscription } = useQuery(subscriptionQuery)
  const { data: credits } = useQuery(creditsQuery)
  if (!subscription || !credits || !isNew(subscription, credits)) return null
  return (
    <div className="mb-3 flex flex-wrap items-center justify-between gap-x-4 gap-y-2 rounded-control border border-line bg-sunken py-2 pr-2 pl-3">
      <p>{text.noPlan}</p>
      <Link to="/dashboard/billing" hash="plans" className={buttonClass({ size: 'small' })}>
        {text.choosePlan}
      </Link>
    </div>
  )
}
