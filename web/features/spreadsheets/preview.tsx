import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { formatWhole } from '../../lib/format.ts'
import { useSettings } from '../../lib/settings.ts'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { Cell, HeadCell, Table } from '../../ui/table.tsx'
import { TableSkeleton } from '../../ui/table-skeleton.tsx'
import { sendCall } from '../answer/send-call.ts'
import { useSheetKey } from './sheet-key.tsx'
import { sheetsText as text } from './text.ts'

/** Serves open data for nothing. */
const DEMO_KEY = 'demo'
const ROWS = 8

/**
 * The newest rows of the real response. The first ones are asked for with the demonstration key where there is one, which
 * costs nothing; others only when the button is pressed, with the key of the sheet if there is one.
 */
export function Preview({ path }: { path: string }) {
  const { value } = useSheetKey()
  const { demoKey } = useSettings()
  const key = value ?? (demoKey ? DEMO_KEY : null)
  const [asked, ask] = useState(demoKey ? { path, key: DEMO_KEY } : null)
  const { data, isError, isFetching } = useQuery({
    queryKey: ['sheet', asked],
    queryFn: ({ signal }) => sendCall({ path: asked!.path }, asked!.key, signal),
    enabled: asked !== null,
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
  })
  const isCurrent = asked?.path === path
  const rows = isCurrent && data?.status === 200 ? readCsv(String(data.body)) : null
  return (
    <Card
      title={text.preview}
      about={
        rows && data ? text.previewAbout(rows.length - 1, data.charged ?? 0) : key ? text.previewAsk : text.previewKey
      }
      aside={
        (!rows || key !== asked?.key) && (
          <Button size="small" busy={isFetching} disabled={key === null} onClick={() => key && ask({ path, key })}>
            {text.show}
          </Button>
        )
      }
      flush
    >
      {isCurrent && isFetching && <TableSkeleton label={text.previewLoading} rows={ROWS + 1} />}
      {isCurrent && !isFetching && (isError || (data && data.status !== 200)) && (
        <p role="alert" className="px-5 pb-4 text-danger">
          {detailOf(data?.body) ?? text.previewFailed}
        </p>
      )}
      {rows && <Rows rows={rows} />}
    </Card>
  )
}

/** The header and the newest rows, of CSV without quotes: dates, numbers and symbols need none. */
const readCsv = (csv: string): string[][] =>
  csv
    .trim()
    .split(/\r?\n/)
    .map((line) => line.split(','))

function detailOf(body: unknown): string | null {
  const detail = body && typeof body === 'object' && 'detail' in body ? body.detail : null
  return typeof detail === 'string' ? detail : null
}

function Rows({ rows: [heads = [], ...rows] }: { rows: string[][] }) {
  const align = (cell: string | undefined) => (/^-?[\d.]+$/.test(cell ?? '') ? 'right' : 'left')
  return (
    <Table
      label={text.preview}
      head={heads.map((head, column) => (
        <HeadCell key={head} align={align(rows[0]?.[column])}>
          {head}
        </HeadCell>
      ))}
    >
      {rows
        .slice(-ROWS)
        .toReversed()
        .map((row) => (
          <tr key={row.join()}>
            {row.map((cell, column) => (
              <Cell key={heads[column]} align={align(cell)} className="whitespace-nowrap">
                {cell}
              </Cell>
            ))}
          </tr>
        ))}
      {rows.length > ROWS && (
        <tr>
          <Cell colSpan={heads.length} className="text-muted">
            {text.earlier(formatWhole(rows.length - ROWS))}
          </Cell>
        </tr>
      )}
    </Table>
  )
}
