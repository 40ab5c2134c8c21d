import { useState } from 'react'
import type { AutoTopup, TopupOffer } from '#contract/billing.ts'
import { formatMoney } from '#contract/currency.ts'
import { typedMoney } from '#contract/typed-money.ts'
import { SaveDialog } from '../../ui/dialog/save-dialog.tsx'
import { Checkbox } from '../../ui/form/checkbox.tsx'
import { withTax } from '../plans/plan-price.ts'
import { AmountField } from './amount-field.tsx'
import { useSetAutoTopup } from './queries.ts'
import { readCents, readWhole } from './read-number.ts'
import { autoTopupText as text, topupText } from './text.ts'

interface AutoTopupDialogProps {
  pack: NonNullable<TopupOffer['pack']>
  rule: AutoTopup
  onClose: () => void
}

/** Configures automatic top-up: on or off, threshold, packs and monthly limit. */
export default function AutoTopupDialog({ pack, rule, onClose }: AutoTopupDialogProps) {
  const { currency } = pack
  // A limit in a currency that the workspace does not pay in any more is entered anew.
  const isOther = rule.currency !== undefined && rule.currency !== currency
  const [enabled, setEnabled] = useState(rule.enabled)
  const [threshold, setThreshold] = useState(String(rule.threshold))
  const [packs, setPacks] = useState(String(rule.packs))
  const [cap, setCap] = useState(
    rule.monthlyCapCents === null || isOther ? '' : typedMoney(rule.monthlyCapCents, currency),
  )

  const read = {
    threshold: readWhole(threshold, { min: 0, max: 1_000_000_000 }),
    packs: readWhole(packs, { min: 1, max: 1000 }),
    cap: cap.trim() === '' ? 'none' : readCents(cap, currency),
  } as const

  const least = (read.packs ?? 1) * pack.price
  const isLow = typeof read.cap === 'number' && read.cap < least
  const money = (cents: number) => formatMoney(cents, currency)
  const capError = read.cap === null ? text.capWrong(currency) : isLow ? text.capLow(money(least)) : null

  return (
    <SaveDialog
      text={text}
      save={useSetAutoTopup()}
      body={
        read.threshold === null || read.packs === null || read.cap === null || isLow
          ? null
          : {
              enabled,
              threshold: read.threshold,
              packs: read.packs,
              monthlyCapCents: read.cap === 'none' ? null : read.cap,
            }
      }
      onClose={onClose}
    >
      {(tried) => (
        <>
          <Checkbox label={text.enabled} checked={enabled} onChange={(event) => setEnabled(event.target.checked)} />
          <AmountField
            label={text.threshold}
            value={threshold}
            onType={setThreshold}
            hint={text.thresholdHint}
            error={tried && read.threshold === null ? text.thresholdWrong : null}
          />
          <AmountField
            label={text.packs}
            value={packs}
            onType={setPacks}
            hint={text.packsHint(pack.credits, withTax(money(pack.price), pack))}
            error={tried && read.packs === null ? topupText.packsWrong : null}
          />
          <AmountField
            label={text.cap(currency)}
            inputMode="decimal"
            value={cap}
            onType={setCap}
            hint={pack.tax_behavior ? text.capHintTaxed : text.capHint}
            error={tried ? capError : null}
          />
        </>
      )}
    </SaveDialog>
  )
}
