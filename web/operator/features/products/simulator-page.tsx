import { useNavigate, useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import { Button } from '../../../ui/button.tsx'
import { Card } from '../../../ui/card.tsx'
import { controlClass } from '../../../ui/form/control-class.ts'
import { PageHeader } from '../../../ui/page-header.tsx'
import { EmptyState } from '../../../ui/states.tsx'
import type { Data } from '../../lib/api.ts'
import { count } from '../../lib/format.ts'
import { useRead } from '../../lib/read.ts'
import { type Columns, col, summed, Two } from '../../ui/columns.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { Rows } from '../../ui/rows.tsx'
import { SimulatorResult } from './simulator-result.tsx'
import { SubNavigation } from './sub-navigation.tsx'

export type Simulation = Data<'GET /price-simulation'>

/** Prices at the left, what last month's calls would have brought at the right. The address holds the prices. */
export function SimulatorPage() {
  const { prices = '' }: { prices?: string } = useSearch({ strict: false })
  const simulation = useRead('GET /price-simulation', { query: { prices } }, { keep: true })
  return (
    <>
      <PageHeader
        title="Simulator"
        about="What last month's calls would have earned at other prices. Nothing is changed."
      />
      <SubNavigation />
      <Loaded query={simulation} what="simulation" bars={['h-9', 'h-64']}>
        {(data) => (
          <div className="grid items-start gap-5 2xl:grid-cols-2">
            <PricesCard key={prices} data={data} prices={prices} busy={simulation.isFetching} />
            <SimulatorResult data={data} />
          </div>
        )}
      </Loaded>
    </>
  )
}

function PricesCard({ data, prices, busy }: { data: Simulation; prices: string; busy: boolean }) {
  const navigate = useNavigate()
  const [typed, setTyped] = useState<Record<string, string>>(() =>
    Object.fromEntries(
      prices.split(',').flatMap((part) => (part.includes(':') ? [part.split(':') as [string, string]] : [])),
    ),
  )
  const used = data.tools.filter(({ calls }) => calls > 0)
  const isWrong = (text: string) => !/^\d{1,7}$/.test(text.trim()) || Number(text) > 1_000_000
  const wrong = Object.values(typed).some(isWrong)
  const simulate = () => {
    const changed = used.flatMap(({ tool, credits_each }) => {
      const text = typed[tool]
      return text === undefined || Number(text) === credits_each ? [] : [`${tool}:${Number(text)}`]
    })
    void navigate({ to: '/products/simulate', search: changed.length > 0 ? { prices: changed.join(',') } : {} })
  }
  const columns: Columns<Simulation['tools'][number]> = [
    col('Tool', 'name', ({ title, price }) => <Two main={title} below={price} />),
    col(
      'New price',
      'figure',
      ({ tool, credits_each: each }) =>
        each !== null && (
          <input
            aria-label={`New price of ${tool}`}
            aria-invalid={typed[tool] !== undefined && isWrong(typed[tool]) ? true : undefined}
            inputMode="numeric"
            className={`${controlClass} w-20! text-right figures`}
            value={typed[tool] ?? String(each)}
            onChange={({ target }) => setTyped({ ...typed, [tool]: target.value })}
          />
        ),
    ),
    summed('Calls', ({ calls }) => calls),
    summed('Credits', ({ credits }) => credits),
    {
      ...summed('New credits', (tool: Simulation['tools'][number]) => tool.simulated_credits),
      cell: (tool) => <Two main={count(tool.simulated_credits)} below={tool.estimated && 'Estimated'} />,
    },
  ]
  if (used.length === 0)
    return (
      <Card title={`Calls of ${data.month}`}>
        <EmptyState
          title="No calls that month"
          about="Calls are counted by tool six hours after each day (UTC) ends. They appear here when the month is over."
        />
      </Card>
    )
  return (
    <form
      className="min-w-0"
      noValidate
      onSubmit={(event) => {
        event.preventDefault()
        if (!wrong && !busy) simulate()
      }}
    >
      <Card
        title={`Calls of ${data.month} (UTC)`}
        about="Change the credits per call or unit, then simulate."
        flush
        footer={
          <div className="flex flex-wrap items-center justify-between gap-2">
            <p role="alert" className="text-danger">
              {wrong && 'Enter prices as whole numbers of credits, at most 1,000,000.'}
            </p>
            <div className="ml-auto flex gap-2">
              {prices !== '' && (
                <Button size="small" onClick={() => navigate({ to: '/products/simulate', search: {} })}>
                  Use current prices
                </Button>
              )}
              <Button size="small" type="submit" look="primary" disabled={wrong} busy={busy}>
                Simulate
              </Button>
            </div>
          </div>
        }
      >
        <Rows label="Calls by tool" columns={columns} rows={used} keyOf={({ tool }) => tool} total="Total" />
      </Card>
    </form>
  )
}
