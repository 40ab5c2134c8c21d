import { useQuery } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { messageOf } from '../../lib/api-error.ts'
import { useUnsaved } from '../../lib/unsaved.ts'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { NumberField } from '../../ui/number-field.tsx'
import { Loading, Skeleton } from '../../ui/skeleton.tsx'
import { ErrorState } from '../../ui/states.tsx'
import { toast } from '../../ui/toast-store.ts'
import { preferencesQuery, useSetAlertThreshold } from './queries.ts'
import { settingsText as text } from './text.ts'

/** The share of a period's credits at which a mail is sent. The badge tells what the server holds, not what is typed. */
export function AlertsCard({ mayChange }: { mayChange: boolean }) {
  const { data, error, isPending, isFetching, refetch } = useQuery(preferencesQuery)
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
      {isPending && (
        <Loading label={text.loading} className="space-y-3">
          <Skeleton className="h-4 w-28" />
          <Skeleton className="h-9 w-56" />
        </Loading>
      )}
      {error && !data && <ErrorState title={text.alertsFailed} error={error} onRetry={refetch} retrying={isFetching} />}
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
