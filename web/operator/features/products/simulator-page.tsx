import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { Button } from '../../../ui/button.tsx'
import { Card } from '../../../ui/card.tsx'
import { controlClass } from '../../../ui/form/control-class.ts'
import { PageHeader } from '../../../ui/page-header.tsx'
import { QueryState } from '../../../ui/query-state.tsx'
import { EmptyState } from '../../../ui/states.tsx'
import { Cell, HeadCell, Table } from '../../../ui/table.tsx'
import { call, type Data } from '../../lib/api.ts'
import { count } from '../../lib/format.ts'
import { SimulatorResult } from './simulator-result.tsx'
import { SubNavigation } from './sub-navigation.tsx'

export type Simulation = Data<'GET /price-simulation'>

/** Prices at the left, what last month's calls would have brought at the right. The address holds the prices. */
export function SimulatorPage({ prices }: { prices: string }) {
  const simulation = useQuery({
    queryKey: ['operator', 'simulation', prices],
    queryFn: ({ signal }) => call('GET /price-simulation', { query: { prices }, signal }),
    placeholderData: keepPreviousData,
  })
  const { data } = simulation
  return (
    <>
      <PageHeader
        title="Simulator"
        about="What last month's calls would have earned at other prices. Nothing is changed."
      />
      <SubNavigation />
      <QueryState
        query={simulation}
        loading="Loading last month's calls"
        bars={['h-9', 'h-64']}
        failed="The simulation failed."
      />
      {data && (
        <div className="grid items-start gap-5 xl:grid-cols-2">
          <PricesCard key={prices} data={data} prices={prices} busy={simulation.isFetching} />
          <SimulatorResult data={data} />
        </div>
      )}
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
        <Table
          label="Calls by tool"
          head={
            <>
              <HeadCell>Tool</HeadCell>
              <HeadCell align="right">Calls</HeadCell>
              <HeadCell align="right">Credits</HeadCell>
              <HeadCell align="right">New price</HeadCell>
              <HeadCell align="right">New credits</HeadCell>
            </>
          }
        >
          {used.map((tool) => (
            <tr key={tool.tool}>
              <Cell className="min-w-[18ch]">
                {tool.title}
                <p className="text-small text-muted">{tool.price}</p>
              </Cell>
              <Cell align="right">{count(tool.calls)}</Cell>
              <Cell align="right">{count(tool.credits)}</Cell>
              <Cell align="right">
                {tool.credits_each !== null && (
                  <input
                    aria-label={`New price of ${tool.tool}`}
                    aria-invalid={typed[tool.tool] !== undefined && isWrong(typed[tool.tool]!) ? true : undefined}
                    inputMode="numeric"
                    className={`${controlClass} w-20! text-right figures`}
                    value={typed[tool.tool] ?? String(tool.credits_each)}
                    onChange={({ target }) => setTyped({ ...typed, [tool.tool]: target.value })}
                  />
                )}
              </Cell>
              <Cell align="right">
                {count(tool.simulated_credits)}
                {tool.estimated && <p className="text-small text-muted">Estimated</p>}
              </Cell>
            </tr>
          ))}
        </Table>
      </Card>
    </form>
  )
}
