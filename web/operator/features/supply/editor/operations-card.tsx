import { type ReactNode, useState } from 'react'
import { Badge } from '../../../../ui/badge.tsx'
import { Button } from '../../../../ui/button.tsx'
import { Card } from '../../../../ui/card.tsx'
import { controlClass } from '../../../../ui/form/control-class.ts'
import { count } from '../../../lib/format.ts'
import { type Columns, col, Two } from '../../../ui/columns.tsx'
import { Rows } from '../../../ui/rows.tsx'
import {
  defaultPrice,
  isCurated,
  isPublished,
  type Manifest,
  type OwnSettings,
  ownOf,
  type ReadOperation,
  rulePrice,
  withOwn,
} from './manifest.ts'
import { OperationDialog } from './operation-dialog.tsx'

interface OperationsCardProps {
  manifest: Manifest
  operations: ReadOperation[]
  onChange: (manifest: Manifest) => void
}

/** Each operation of the description: whether it is sold, its name, its price, and whether AI clients have it. */
export function OperationsCard({ manifest, operations, onChange }: OperationsCardProps) {
  const [editing, setEditing] = useState<ReadOperation | null>(null)
  const columns = columnsOf(manifest, onChange, setEditing)
  const published = operations.filter((one) => isPublished(manifest, one)).length
  return (
    <Card
      title="3. Operations"
      about={`${count(published)} of ${count(operations.length)} are for sale. Operations that may change data are not, until you choose to sell them.`}
      flush
    >
      <Rows label="Operations" columns={columns} rows={operations} />
      {editing && (
        <OperationDialog
          operation={editing}
          manifest={manifest}
          onClose={() => setEditing(null)}
          onSave={(next) => {
            onChange(next)
            setEditing(null)
          }}
        />
      )}
    </Card>
  )
}

/** A box of a row. */
const Box = (props: {
  'aria-label': string
  checked: boolean
  disabled?: boolean
  onChange: (on: boolean) => void
}) => (
  <input
    {...props}
    type="checkbox"
    className="mt-1.5 size-4 accent-accent pointer-coarse:size-6"
    onChange={({ target }) => props.onChange(target.checked)}
  />
)

function columnsOf(
  manifest: Manifest,
  onChange: (manifest: Manifest) => void,
  onEdit: (operation: ReadOperation) => void,
): Columns<ReadOperation> {
  const set = ({ id }: ReadOperation, change: Parameters<typeof withOwn>[2]) => onChange(withOwn(manifest, id, change))
  /** Prompts, resources and what cannot be sold have nothing to choose. */
  const whenCurated =
    (cell: (one: ReadOperation, own: OwnSettings, isOn: boolean) => ReactNode) => (one: ReadOperation) =>
      isCurated(one, manifest) ? cell(one, ownOf(manifest, one.id), isPublished(manifest, one)) : '–'
  return [
    col(
      'Sell',
      whenCurated((one, _, isOn) => (
        <Box aria-label={`Sell ${one.id}`} checked={isOn} onChange={(publish) => set(one, { publish })} />
      )),
    ),
    col('Operation', 'name', (one) =>
      isCurated(one, manifest) ? (
        <>
          <p className="flex flex-wrap items-center gap-x-2">
            <Badge tone={one.method === 'GET' || manifest.kind === 'mcp' ? 'neutral' : 'warning'}>{one.method}</Badge>
            <code className="font-mono break-all">{one.path}</code>
          </p>
          <p className="mt-1 text-muted">{ownOf(manifest, one.id).title ?? one.title}</p>
        </>
      ) : (
        <Two
          main={<span className="text-muted">{one.title}</span>}
          below={one.impossible ? `Cannot be sold: ${one.reason}` : (one.price ?? one.reason)}
        />
      ),
    ),
    col(
      'Tool',
      'code',
      whenCurated(({ tool }, own) => own.name ?? tool ?? '–'),
    ),
    col(
      'Credits per call',
      whenCurated((one, own, isOn) => {
        const price = own.credits ?? defaultPrice(manifest)
        if (isOn && typeof price === 'object') return rulePrice(price)
        return (
          <input
            aria-label={`Credits per call of ${one.id}`}
            inputMode="numeric"
            disabled={!isOn}
            className={`${controlClass} w-24! text-right figures`}
            placeholder={String(defaultPrice(manifest) ?? '')}
            value={typeof own.credits === 'number' ? own.credits : ''}
            onChange={(event) => {
              const digits = event.target.value.replaceAll(/\D/g, '')
              set(one, { publish: true, credits: digits === '' ? undefined : Number(digits) })
            }}
          />
        )
      }),
    ),
    col(
      'MCP',
      whenCurated((one, own, isOn) => (
        <Box
          aria-label={`${one.id} over MCP`}
          disabled={!isOn}
          checked={isOn && (own.mcp === undefined ? one.over_mcp || one.tool === null : own.mcp !== false)}
          onChange={(mcp) => set(one, { publish: true, mcp })}
        />
      )),
    ),
    col(
      'More',
      whenCurated((one, _, isOn) => (
        <Button size="small" disabled={!isOn} aria-label={`Edit ${one.id}`} onClick={() => onEdit(one)}>
          Edit
        </Button>
      )),
    ),
  ]
}
