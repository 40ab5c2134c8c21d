import { usePages } from '../../lib/read.ts'
import { useRouteId } from '../../lib/use-route-id.ts'
import { List } from '../../ui/list.tsx'
import { LedgerTable, noLedger } from './ledger-table.tsx'

export function LedgerTab() {
  const query = usePages('GET /customers/{id}/ledger', { params: { id: useRouteId() } })
  return (
    <List
      title="Credit ledger"
      about="Every change to the grants, newest first. Burned credits are settled about once a minute, for many calls together."
      query={query}
      what="entries"
      rows={query.data?.pages.flatMap(({ lines }) => lines) ?? []}
      empty={noLedger}
    >
      {(lines) => <LedgerTable lines={lines} />}
    </List>
  )
}
