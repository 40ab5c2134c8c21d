import { useState } from 'react'
import { Button } from '../../../ui/button.tsx'
import { TextField } from '../../../ui/form/field.tsx'
import { PageHeader } from '../../../ui/page-header.tsx'
import { ActDialog } from '../../layout/act-dialog.tsx'
import type { Data } from '../../lib/api.ts'
import { useRead } from '../../lib/read.ts'
import { useRole } from '../../lib/use-role.ts'
import { useText } from '../../lib/use-text.ts'
import { type Column, type Columns, col, Two } from '../../ui/columns.tsx'
import { List } from '../../ui/list.tsx'
import { SubNavigation } from './sub-navigation.tsx'

type ToolPrice = Data<'GET /prices'>['tools'][number]
type Priced = ToolPrice & { upstream: NonNullable<ToolPrice['upstream']> }

const toolColumn: Column<ToolPrice> = {
  head: 'Tool',
  look: 'name',
  value: ({ title }) => title,
  cell: ({ title, tool }) => <Two main={title} below={<code className="font-mono">{tool}</code>} />,
}
const priceColumn: Column<ToolPrice> = {
  head: 'Price',
  cell: ({ price }) => <span className="inline-block min-w-[16ch] first-letter:uppercase">{price}</span>,
}

/** Every tool that is sold, with what a call costs. */
export function ToolPricesPage() {
  const prices = useRead('GET /prices')
  const [changing, setChanging] = useState<Priced | null>(null)
  const isOwner = useRole('owner')
  const tools = prices.data?.tools ?? []
  const builtin = tools.filter(({ upstream }) => upstream === null)
  const columns: Columns<Priced> = [
    toolColumn,
    {
      head: 'Upstream',
      value: ({ upstream }) => upstream.title,
      cell: ({ upstream }) => <Two main={upstream.title} below={`Version ${upstream.version}`} />,
    },
    priceColumn,
    isOwner &&
      col('Change', (tool) => (
        <Button size="small" aria-label={`Change the price of ${tool.tool}`} onClick={() => setChanging(tool)}>
          Change
        </Button>
      )),
  ]
  return (
    <>
      <PageHeader title="Tool prices" about="What a call to each tool costs in credits. Failed calls are free." />
      <SubNavigation />
      <List
        title="Operations of your upstreams"
        about="Changing a price publishes a new version of the upstream. It applies to calls from then on."
        query={prices}
        what="prices"
        rows={tools.filter((tool): tool is Priced => tool.upstream !== null)}
        keyOf={({ tool }) => tool}
        sorts
        columns={columns}
        empty={{
          title: 'No operations yet',
          about: 'Operations of an API or MCP server appear here after their upstream is published.',
        }}
      />
      {builtin.length > 0 && (
        <List
          title="Built-in tools"
          about="Their prices cannot be changed. Choose which of them are served under Shop."
          rows={builtin}
          keyOf={({ tool }) => tool}
          columns={[toolColumn, priceColumn]}
          empty={{ about: '' }}
        />
      )}
      {changing && <PriceDialog tool={changing} onClose={() => setChanging(null)} />}
    </>
  )
}

const whole = (text: string) => (/^\d{1,7}$/.test(text.trim()) ? Number(text) : null)

function PriceDialog({ tool, onClose }: { tool: Priced; onClose: () => void }) {
  const credits = useText(String(tool.credits))
  const most = useText(tool.most === null ? '' : String(tool.most))
  const hasMost = tool.kind !== 'fixed' && tool.most !== null
  const numberOf = (text: typeof credits) => whole(text.value) ?? text.fail('Enter a whole number of credits.')
  return (
    <ActDialog
      line="POST /prices/{tool}"
      params={{ tool: tool.tool }}
      title="Change price"
      about={
        <>
          {tool.title} costs {tool.price}. {tool.upstream.title} gets version {tool.upstream.version + 1} or later, and
          calls cost the new price within two seconds.
        </>
      }
      busy="Changing"
      input={() => {
        const [each, highest] = [numberOf(credits), hasMost ? numberOf(most) : null]
        if (each === null || (hasMost && highest === null)) return null
        return { version: tool.upstream.version, credits: each, most: highest }
      }}
      onClose={onClose}
    >
      <TextField
        label={tool.kind === 'fixed' ? 'Credits per call' : 'Credits per unit'}
        inputMode="numeric"
        {...credits.field}
      />
      {hasMost && <TextField label="Maximum credits per call" inputMode="numeric" {...most.field} />}
    </ActDialog>
  )
}
