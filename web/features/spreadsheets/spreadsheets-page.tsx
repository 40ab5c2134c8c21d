import { useQuery } from '@tanstack/react-query'
import { pageHeadings } from '../../lib/page-headings.ts'
import { useSettings } from '../../lib/settings.ts'
import { Card } from '../../ui/card.tsx'
import { PageHeader } from '../../ui/page-header.tsx'
import { QueryState } from '../../ui/query-state.tsx'
import { NewKeyNotice } from '../keys/new-key-notice.tsx'
import { soldQuery } from '../snippets/sold-calls.ts'
import { CallSheets } from './call-sheets.tsx'
import { TableSheets } from './table-sheets.tsx'
import { sheetsText as text } from './text.ts'

/** Writes the formula that puts rows into a spreadsheet, with a key that can only read. */
export function SpreadsheetsPage() {
  const { shop, keysReveal } = useSettings()
  const { title, about } = pageHeadings['/dashboard/spreadsheets']
  return (
    <>
      <PageHeader title={title} about={shop.demo ? about : text.about} />
      {/* Its call is one of the demonstration. The formulas have the key in them. */}
      {(shop.demo || keysReveal === 'once') && <NewKeyNotice />}
      <div className="grid gap-5">{shop.demo ? <TableSheets /> : <SoldSheets />}</div>
    </>
  )
}

/** What this shop sells: tables of market data, or calls of its own. */
function SoldSheets() {
  const query = useQuery(soldQuery)
  if (!query.data)
    return (
      <QueryState
        query={query}
        loading={text.previewLoading}
        bars={['h-40 w-full', 'h-40 w-full']}
        failed={text.soldFailed}
      />
    )
  if (query.data.tables) return <TableSheets />
  const calls = query.data.calls.filter(({ isOwn }) => isOwn)
  return calls.length > 0 ? <CallSheets calls={calls} /> : <Card title={text.call}>{text.nothingSold}</Card>
}
