import { useQuery } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { messageOf } from '../../lib/http/api-error.ts'
import { useUnsaved } from '../../lib/unsaved.ts'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { NumberField } from '../../ui/form/number-field.tsx'
import { QueryState } from '../../ui/query-state.tsx'
import { toast } from '../../ui/toast/toast-store.ts'
import { preferencesQuery } from '../account/queries.ts'
import { useSetAlertThreshold } from './queries.ts'
import { settingsText as text } from './text.ts'

/** The usage alert threshold. The badge shows the saved value, not the typed one. */
export function AlertsCard({ mayChange }: { mayChange: boolean }) {
  const query = useQuery(preferencesQuery)
  const { data } = query
  return (
    <Card
      title={text.alerts}
      about={text.alertsAbout}
      aside={
        data && (
          <Badge tone={data.alertThreshold > 0 ? 'success' : 'neutral'}>
            {data.alertThreshold > 0 ? text.enabled : text.off}
          </Badge>
        )
      }
    >
      <QueryState query={query} loading={text.loading} bars={['h-4 w-28', 'h-9 w-56']} failed={text.alertsFailed} />
      {data && <ThresholdForm saved={data.alertThreshold} mayChange={mayChange} />}
    </Card>
  )
}

function ThresholdForm({ saved, mayChange }: { saved: number; mayChange: boolean }) {
  const [typed, setTyped] = useState<string | null>(null)
  const [wrong, setWrong] = useState(false)
  const save = useSetAlertThreshold()
  useUnsaved(typed !== null)

  const onChange = (value: string) => {
    setTyped(value)
    setWrong(false)
    if (save.isError) save.reset()
  }
  const onSubmit = (event: FormEvent) => {
    event.preventDefault()
    const value = Number(typed ?? saved)
    const valid = (typed === null || typed.trim() !== '') && Number.isInteger(value) && value >= 0 && value <= 100
    setWrong(!valid)
    if (!valid || save.isPending) return
    save.mutate(value, {
      onSuccess: () => {
        setTyped(null)
        toast({ title: text.updated })
      },
    })
  }

  const failure = save.isError ? messageOf(save.error, text.updateFailed) : null
  return (
    <form noValidate onSubmit={onSubmit} className="flex flex-wrap items-start gap-x-3 gap-y-2">
      <NumberField
        label={text.threshold}
        unit="%"
        min={0}
        max={100}
        step={1}
        disabled={!mayChange}
        value={typed ?? String(saved)}
        onChange={(event) => onChange(event.target.value)}
        hint={mayChange ? text.thresholdHint : text.managersOnly}
        error={wrong ? text.thresholdWrong : failure}
        action={
          <Button type="submit" disabled={!mayChange} busy={save.isPending}>
            {save.isPending ? text.updating : text.update}
          </Button>
        }
      />
    </form>
  )
}
