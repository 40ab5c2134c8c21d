import { useState } from 'react'
import { Badge } from '../../../../ui/badge.tsx'
import { Button } from '../../../../ui/button.tsx'
import { Card } from '../../../../ui/card.tsx'
import { controlClass } from '../../../../ui/form/control-class.ts'
import { Cell, HeadCell, Table } from '../../../../ui/table.tsx'
import { count } from '../../../lib/format.ts'
import {
  defaultPrice,
  isCurated,
  isPublished,
  type Manifest,
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
  const published = operations.filter((one) => isPublished(manifest, one)).length
  return (
    <Card
      title="3. Operations"
      about={`${count(published)} of ${count(operations.length)} are for sale. Operations that may change data are not, until you choose to sell them.`}
      flush
    >
      <Table
        label="Operations"
        head={
          <>
            <HeadCell>Sell</HeadCell>
            <HeadCell>Operation</HeadCell>
            <HeadCell>Tool</HeadCell>
            <HeadCell>Credits per call</HeadCell>
            <HeadCell>MCP</HeadCell>
            <HeadCell align="right">More</HeadCell>
          </>
        }
      >
        {operations.map((one) => (
          <Row key={one.id} operation={one} manifest={manifest} onChange={onChange} onEdit={() => setEditing(one)} />
        ))}
      </Table>
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

interface RowProps {
  operation: ReadOperation
  manifest: Manifest
  onChange: (manifest: Manifest) => void
  onEdit: () => void
}

function Row({ operation, manifest, onChange, onEdit }: RowProps) {
  const { id, method, path, title, tool, reason, impossible } = operation
  const own = ownOf(manifest, id)
  const isOn = isPublished(manifest, operation)
  const set = (change: Parameters<typeof withOwn>[2]) => onChange(withOwn(manifest, id, change))
  if (!isCurated(operation, manifest))
    return (
      <tr className="align-top text-muted">
        <Cell>–</Cell>
        <Cell>{title}</Cell>
        <Cell colSpan={4}>{impossible ? `Cannot be sold: ${reason}` : (operation.price ?? reason)}</Cell>
      </tr>
    )
  const price = own.credits ?? defaultPrice(manifest)
  return (
    <tr className="align-top">
      <Cell>
        <input
          type="checkbox"
          className="mt-1.5 size-4 accent-accent pointer-coarse:size-6"
          aria-label={`Sell ${id}`}
          checked={isOn}
          onChange={(event) => set({ publish: event.target.checked })}
        />
      </Cell>
      <Cell className="min-w-56">
        <p className="flex flex-wrap items-center gap-x-2">
          <Badge tone={method === 'GET' || manifest.kind === 'mcp' ? 'neutral' : 'warning'}>{method}</Badge>
          <code className="font-mono break-all">{path}</code>
        </p>
        <p className="mt-1 max-w-[48ch] text-muted">{own.title ?? title}</p>
      </Cell>
      <Cell>
        <code className="font-mono text-small">{own.name ?? tool ?? '–'}</code>
      </Cell>
      <Cell>
        {isOn && typeof price === 'object' ? (
          rulePrice(price)
        ) : (
          <input
            aria-label={`Credits per call of ${id}`}
            inputMode="numeric"
            disabled={!isOn}
            className={`${controlClass} w-24! text-right figures`}
            placeholder={String(defaultPrice(manifest) ?? '')}
            value={typeof own.credits === 'number' ? own.credits : ''}
            onChange={(event) => {
              const digits = event.target.value.replaceAll(/\D/g, '')
              set({ publish: true, credits: digits === '' ? undefined : Number(digits) })
            }}
          />
        )}
      </Cell>
      <Cell>
        <input
          type="checkbox"
          className="mt-1.5 size-4 accent-accent pointer-coarse:size-6"
          aria-label={`${id} over MCP`}
          disabled={!isOn}
          checked={isOn && (own.mcp === undefined ? operation.over_mcp || tool === null : own.mcp !== false)}
          onChange={(event) => set({ publish: true, mcp: event.target.checked })}
        />
      </Cell>
      <Cell align="right">
        <Button size="small" disabled={!isOn} aria-label={`Edit ${id}`} onClick={onEdit}>
          Edit
        </Button>
      </Cell>
    </tr>
  )
}
