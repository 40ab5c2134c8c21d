import { useRef } from 'react'
import { messageOf } from '../../lib/http/api-error.ts'
import { useSettings } from '../../lib/settings.ts'
import { Button } from '../../ui/button.tsx'
import { useFocusHandover } from '../../ui/focus-near.ts'
import { toast } from '../../ui/toast/toast-store.ts'
import { useRedeemFreePlan } from '../billing/queries.ts'
import { holdNewKey } from '../keys/new-key.ts'
import { overviewText as text } from './text.ts'

/** Offers the free plan. When hidden it still reports how the redemption went. */
export function TrialBanner({ shown }: { shown: boolean }) {
  const redeem = useRedeemFreePlan()
  const { keysReveal } = useSettings()
  const onRedeem = () =>
    redeem.mutate(undefined, {
      onSuccess: ({ alreadySubscribed, firstKey }) => {
        if (keysReveal === 'once' && firstKey) holdNewKey(firstKey)
        if (alreadySubscribed) toast({ title: text.already, description: text.alreadyAbout })
        else toast({ title: text.activated, description: text.activatedAbout })
      },
      onError: () => toast({ title: text.trialFailed, tone: 'danger' }),
    })

  return shown && <Banner redeem={redeem} onRedeem={onRedeem} />
}

function Banner({ redeem, onRedeem }: { redeem: ReturnType<typeof useRedeemFreePlan>; onRedeem: () => void }) {
  const section = useRef<HTMLElement>(null)
  useFocusHandover(section)
  return (
    <section
      ref={section}
      aria-label={text.trialTitle}
      className="flex flex-wrap items-center justify-between gap-x-6 gap-y-3 rounded-card border border-accent-line bg-accent-soft px-5 py-4"
    >
      <div className="min-w-0 flex-1 basis-72">
        <h2 className="font-strong">{text.trialTitle}</h2>
        <p className="mt-0.5 text-muted">{text.trialAbout}</p>
        {redeem.isError && (
          <p role="alert" className="mt-1 text-danger">
            {messageOf(redeem.error, text.trialFailed)}
          </p>
        )}
      </div>
      <Button look="primary" busy={redeem.isPending} onClick={onRedeem}>
        {redeem.isPending ? text.processing : text.redeem}
      </Button>
    </section>
  )
}
