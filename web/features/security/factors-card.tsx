import type { Factor } from '@supabase/auth-js'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { formatDate } from '../../lib/format.ts'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { ConfirmDialog } from '../../ui/dialog/confirm-dialog.tsx'
import { QueryState } from '../../ui/query-state.tsx'
import { toast } from '../../ui/toast/toast-store.ts'
import { EnrollDialog } from './enroll-dialog.tsx'
import { nameOf } from './factor-name.ts'
import { ProveDialog } from './prove-dialog.tsx'
import { authUserQuery, useRemoveFactor } from './queries.ts'
import { securityText as text } from './text.ts'

/** What follows after the user enters a code, if one is required. */
type Next = { act: 'add' } | { act: 'remove'; factor: Factor }

/** The user's second factors. If one exists, every change asks for a current code first. */
export function FactorsCard() {
  const query = useQuery(authUserQuery)
  const { data: user } = query
  const [next, setNext] = useState<Next | null>(null)
  const [proved, setProved] = useState(false)
  const factors = user?.factors?.filter(({ status }) => status === 'verified') ?? []
  const close = () => {
    setNext(null)
    setProved(false)
  }

  return (
    <Card
      title={text.factors}
      about={text.factorsAbout}
      aside={
        user && (
          <Badge tone={factors.length > 0 ? 'success' : 'neutral'}>{factors.length > 0 ? text.on : text.off}</Badge>
        )
      }
    >
      <QueryState
        query={query}
        loading={text.factorsLoading}
        bars={['h-4 w-72', 'h-9 w-48']}
        failed={text.factorsFailed}
      />
      {user && (
        <div className="space-y-4">
          {factors.length === 0 && <p className="text-muted">{text.noFactor}</p>}
          {factors.length > 0 && (
            <ul className="divide-y divide-line">
              {factors.map((factor) => (
                <li key={factor.id} className="flex flex-wrap items-center justify-between gap-3 py-2 first:pt-0">
                  <div className="min-w-0 flex-1">
                    <p className="wrap-anywhere font-strong">{nameOf(factor)}</p>
                    <p className="text-muted">{text.added(formatDate(factor.created_at))}</p>
                  </div>
                  <Button size="small" onClick={() => setNext({ act: 'remove', factor })}>
                    {text.remove}
                    <span className="sr-only"> {nameOf(factor)}</span>
                  </Button>
                </li>
              ))}
            </ul>
          )}
          <Button onClick={() => setNext({ act: 'add' })}>{text.addFactor}</Button>
        </div>
      )}
      {next && factors[0] && !proved && (
        <ProveDialog factors={factors} onProved={() => setProved(true)} onClose={close} />
      )}
      {next?.act === 'add' && (proved || factors.length === 0) && (
        <EnrollDialog suggestedName={freeName(factors)} onClose={close} />
      )}
      {next?.act === 'remove' && proved && <RemoveDialog factor={next.factor} onClose={close} />}
    </Card>
  )
}

function RemoveDialog({ factor, onClose }: { factor: Factor; onClose: () => void }) {
  const remove = useRemoveFactor()
  return (
    <ConfirmDialog
      title={text.removeTitle(nameOf(factor))}
      about={text.removeAbout}
      confirmLabel={text.remove}
      busyLabel={text.removing}
      action={remove}
      failed={text.removeFailed}
      onClose={onClose}
      onConfirm={() =>
        remove.mutate(factor.id, {
          onSuccess: () => {
            toast({ title: text.removed })
            onClose()
          },
        })
      }
    />
  )
}

/** Names must be unique, so the second app gets a number. */
function freeName(factors: Factor[]): string {
  const taken = new Set(factors.map(({ friendly_name }) => friendly_name))
  for (let count = 1; ; count++) {
    const name = count === 1 ? text.authenticator : `${text.authenticator} ${count}`
    if (!taken.has(name)) return name
  }
}
