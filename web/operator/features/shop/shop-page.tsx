import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Button } from '../../../ui/button.tsx'
import { PageHeader } from '../../../ui/page-header.tsx'
import { QueryState } from '../../../ui/query-state.tsx'
import { sessionQuery } from '../../lib/api.ts'
import { shopQuery } from './queries.ts'
import { SenderCard } from './sender-card.tsx'
import { ShopEditor } from './shop-editor.tsx'
import { UndoDialog } from './undo-dialog.tsx'
import { ShopVersionsCard } from './versions-card.tsx'

/** How the installation names itself. */
export function ShopPage() {
  const shop = useQuery({ ...shopQuery, refetchOnWindowFocus: false })
  const isOwner = useQuery(sessionQuery).data?.role === 'owner'
  const [undoing, setUndoing] = useState(false)
  const { data } = shop
  return (
    <>
      <PageHeader
        title="Shop"
        about={
          data && data.version > 0
            ? `Version ${data.version} is published, as ${String(data.settings.name)}.`
            : 'This installation has no name yet. Name it, and its pages, documentation, emails and keys carry your name.'
        }
        action={isOwner && data && data.version > 0 && <Button onClick={() => setUndoing(true)}>Undo</Button>}
      />
      <QueryState
        query={shop}
        loading="Loading the shop"
        bars={['h-64', 'h-40']}
        failed="The shop could not be loaded."
      />
      {data && (
        <>
          {data.sender.waiting && (
            <SenderCard waiting={data.sender.waiting} used={data.sender.used} isOwner={isOwner} />
          )}
          <ShopEditor key={data.version} shop={data} isOwner={isOwner} />
          <ShopVersionsCard shop={data} />
          {undoing && <UndoDialog shop={data} onClose={() => setUndoing(false)} />}
        </>
      )}
    </>
  )
}
