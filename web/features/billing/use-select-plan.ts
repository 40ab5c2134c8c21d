import { useEffect, useState } from 'react'
import type { Plan } from '#contract/billing.ts'
import { messageOf } from '../../lib/api-error.ts'
import { toast } from '../../ui/toast-store.ts'
import { openPortalTab } from './open-portal-tab.ts'
import { startCheckout, useRedeemFreePlan } from './queries.ts'
import { billingText as text } from './text.ts'

export interface PlanSelection {
  /** The price whose button was pressed, until it is done. */
  processing: string | null
  /** Why the last selection failed. */
  error: string | null
  /** Redeems a free plan in place; sends the browser to the checkout of a paid one. */
  select: (plan: Pick<Plan, 'priceId' | 'type'>) => void
  /** Opens the portal, where a plan that is paid already is changed. */
  manage: (priceId: string) => void
}

/** What happens when a plan is chosen. */
export function useSelectPlan(): PlanSelection {
  const redeem = useRedeemFreePlan()
  const [processing, setProcessing] = useState<string | null>(null)
  const [error, setError] = useState<string | null>(null)

  // Coming back from the checkout by the Back button restores the page as it was left: busy.
  useEffect(() => {
    const restored = (event: PageTransitionEvent) => event.persisted && setProcessing(null)
    addEventListener('pageshow', restored)
    return () => removeEventListener('pageshow', restored)
  }, [])

  const run = async (priceId: string, act: () => Promise<void>) => {
    setError(null)
    setProcessing(priceId)
    try {
      await act()
    } catch (thrown) {
      const reason = messageOf(thrown, text.selectFailedAbout)
      toast({ title: text.selectFailed, description: reason, tone: 'danger' })
      setError(`${text.selectFailed}. ${reason}`)
      setProcessing(null)
    }
  }

  const redeemFree = async (priceId: string) => {
    const { alreadySubscribed } = await redeem.mutateAsync(priceId)
    setProcessing(null)
    if (alreadySubscribed) toast({ title: text.already, description: text.alreadyAbout })
    else toast({ title: text.activated, description: text.activatedAbout })
  }

  const checkOut = async (priceId: string) => {
    const { url } = await startCheckout(priceId)
    // The button stays busy: this page is being left.
    location.assign(url)
  }

  return {
    processing,
    error,
    select: ({ priceId, type }) => run(priceId, () => (type === 'free' ? redeemFree(priceId) : checkOut(priceId))),
    manage: (priceId) =>
      run(priceId, async () => {
        await openPortalTab()
        setProcessing(null)
      }),
  }
}
