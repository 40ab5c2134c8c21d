import { useCallback, useState } from 'react'
import type { Plan } from '#contract/billing.ts'
import { messageOf } from '../../lib/http/api-error.ts'
import { useSettings } from '../../lib/settings.ts'
import { usePageRestored } from '../../lib/use-page-restored.ts'
import { toast } from '../../ui/toast/toast-store.ts'
import { holdNewKey } from '../keys/new-key.ts'
import { openPortalTab } from './open-portal-tab.ts'
import { startCheckout, useRedeemFreePlan } from './queries.ts'
import { billingText as text } from './text.ts'

export interface PlanSelection {
  /** The price being selected. */
  processing: string | null
  error: string | null
  /** Redeems a free plan in place, or redirects to checkout for a paid one. */
  select: (plan: Pick<Plan, 'priceId' | 'type'> & { currency: string | null }) => void
  /** Opens the portal to change an existing paid plan. */
  manage: (priceId: string) => void
}

export function useSelectPlan(): PlanSelection {
  const redeem = useRedeemFreePlan()
  const { keysReveal } = useSettings()
  const [processing, setProcessing] = useState<string | null>(null)
  const [error, setError] = useState<string | null>(null)

  usePageRestored(useCallback(() => setProcessing(null), []))

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
    const { alreadySubscribed, firstKey } = await redeem.mutateAsync(priceId)
    setProcessing(null)
    if (keysReveal === 'once' && firstKey) holdNewKey(firstKey)
    if (alreadySubscribed) toast({ title: text.already, description: text.alreadyAbout })
    else toast({ title: text.activated, description: text.activatedAbout })
  }

  const checkOut = async (priceId: string, currency: string | null) => {
    const { url } = await startCheckout(priceId, currency)
    // Stay busy: the browser is leaving this page.
    location.assign(url)
  }

  return {
    processing,
    error,
    select: ({ priceId, type, currency }) =>
      run(priceId, () => (type === 'free' ? redeemFree(priceId) : checkOut(priceId, currency))),
    manage: (priceId) =>
      run(priceId, async () => {
        await openPortalTab()
        setProcessing(null)
      }),
  }
}
