import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Button } from '../../../ui/button.tsx'
import { Card } from '../../../ui/card.tsx'
import { TextField } from '../../../ui/form/field.tsx'
import { PageHeader } from '../../../ui/page-header.tsx'
import { QueryState } from '../../../ui/query-state.tsx'
import { EmptyState } from '../../../ui/states.tsx'
import { Cell, HeadCell, Table } from '../../../ui/table.tsx'
import { ActDialog } from '../../layout/act-dialog.tsx'
import { call, type Data, sessionQuery } from '../../lib/api.ts'
import { useAct } from '../../lib/use-act.ts'
import { SubNavigation } from './sub-navigation.tsx'

type ToolPrice = Data<'GET /prices'>['tools'][number]
type Priced = ToolPrice & { upstream: NonNullable<ToolPrice['upstream']> }

/** Every tool that is sold, with what a call costs. */
export function ToolPricesPage() {
  const { data: session } = useQuery(sessionQuery)
  const prices = useQuery({ queryKey: ['operator', 'prices'], queryFn: () => call('GET /prices') })
  const [changing, setChanging] = useState<Priced | null>(null)
  const isOwner = session?.role === 'owner'
  const tools = prices.data?.tools ?? []
  const own = tools.filter((tool): tool is Priced => tool.upstream !== null)
  const builtin = tools.filter(({ upstream }) => upstream === null)
  return (
    <>
      <PageHeader title="Tool prices" about="What a call to each tool costs in credits. Failed calls are free." />
      <SubNavigation />
      <Card
        title="Operations of your upstreams"
        about="Changing a price publishes a new version of the upstream. It applies to calls from then on."
        flush={own.length > 0}
      >
        <QueryState
          query={prices}
          loading="Loading the prices"
          bars={['h-9', 'h-9', 'h-9']}
          failed="The prices could not be loaded."
        />
        {prices.data && own.length === 0 && (
          <EmptyState
            title="No operations yet"
            about="Operations of an API or MCP server appear here after their upstream is published."
          />
        )}
        {own.length > 0 && (
          <Table
            label="Operations of your upstreams"
            head={
              <>
                <HeadCell>Tool</HeadCell>
                <HeadCell>Upstream</HeadCell>
                <HeadCell>Price</HeadCell>
                {isOwner && <HeadCell align="right">Change</HeadCell>}
              </>
            }
          >
            {own.map((tool) => (
              <tr key={tool.tool}>
                <ToolCell tool={tool} />
                <Cell>
                  {tool.upstream.title}
                  <p className="text-small text-muted">Version {tool.upstream.version}</p>
                </Cell>
                <Cell className="min-w-[16ch] first-letter:uppercase">{tool.price}</Cell>
                {isOwner && (
                  <Cell align="right">
                    <Button
                      size="small"
                      aria-label={`Change the price of ${tool.tool}`}
                      onClick={() => setChanging(tool)}
                    >
                      Change
                    </Button>
                  </Cell>
                )}
              </tr>
            ))}
          </Table>
        )}
      </Card>
      {builtin.length > 0 && (
        <Card
          title="Built-in tools"
          about="Their prices cannot be changed. Choose which of them are served under Shop."
          flush
        >
          <Table
            label="Built-in tools"
            head={
              <>
                <HeadCell>Tool</HeadCell>
                <HeadCell>Price</HeadCell>
              </>
            }
          >
            {builtin.map((tool) => (
              <tr key={tool.tool}>
                <ToolCell tool={tool} />
                <Cell className="min-w-[16ch] first-letter:uppercase">{tool.price}</Cell>
              </tr>
            ))}
          </Table>
        </Card>
      )}
      {changing && <PriceDialog tool={changing} onClose={() => setChanging(null)} />}
    </>
  )
}

function ToolCell({ tool: { tool, title } }: { tool: ToolPrice }) {
  return (
    <Cell>
      {title}
      <p className="text-small">
        <code className="font-mono text-muted">{tool}</code>
      </p>
    </Cell>
  )
}

function PriceDialog({ tool, onClose }: { tool: Priced; onClose: () => void }) {
  const act = useAct('POST /prices/{tool}', { tool: tool.tool })
  const [credits, setCredits] = useState(String(tool.credits))
  const [most, setMost] = useState(tool.most === null ? '' : String(tool.most))
  const [wrong, setWrong] = useState(false)
  const whole = (text: string) => (/^\d{1,7}$/.test(text.trim()) ? Number(text) : null)
  const hasMost = tool.kind !== 'fixed' && tool.most !== null
  const submit = (reason: string) => {
    const [each, highest] = [whole(credits), hasMost ? whole(most) : null]
    setWrong(each === null || (hasMost && highest === null))
    if (each === null || (hasMost && highest === null)) return
    act.mutate({ version: tool.upstream.version, credits: each, most: highest, reason }, { onSuccess: onClose })
  }
  const problem = (text: string) => (wrong && whole(text) === null ? 'Enter a whole number of credits.' : null)
  return (
    <ActDialog
      title="Change price"
      about={
        <>
          {tool.title} costs {tool.price}. {tool.upstream.title} gets version {tool.upstream.version + 1} or later, and
          calls cost the new price within two seconds.
        </>
      }
      submitLabel="Change price"
      busyLabel="Changing"
      act={act}
      onClose={onClose}
      onSubmit={submit}
    >
      <TextField
        label={tool.kind === 'fixed' ? 'Credits per call' : 'Credits per unit'}
        inputMode="numeric"
        value={credits}
        error={problem(credits)}
        onChange={({ target }) => setCredits(target.value)}
      />
      {hasMost && (
        <TextField
          label="Maximum credits per call"
          inputMode="numeric"
          value={most}
          error={problem(most)}
          onChange={({ target }) => setMost(target.value)}
        />
      )}
    </ActDialog>
  )
}
