import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Badge } from '../../../ui/badge.tsx'
import { Button } from '../../../ui/button.tsx'
import { PageHeader } from '../../../ui/page-header.tsx'
import { ActDialog } from '../../layout/act-dialog.tsx'
import { read } from '../../lib/read.ts'
import { useRole } from '../../lib/use-role.ts'
import { type Columns, col, time } from '../../ui/columns.tsx'
import { List } from '../../ui/list.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import type { Shop } from './draft.ts'
import { SenderCard } from './sender-card.tsx'
import { ShopEditor } from './shop-editor.tsx'

/** How the installation names itself. */
export function ShopPage() {
  const shop = useQuery({ ...read('GET /shop'), refetchOnWindowFocus: false })
  const isOwner = useRole('owner')
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
      <Loaded query={shop} what="shop" bars={['h-64', 'h-40']}>
        {(found) => (
          <>
            {found.sender.waiting && (
              <SenderCard waiting={found.sender.waiting} used={found.sender.used} isOwner={isOwner} />
            )}
            <ShopEditor key={found.version} shop={found} isOwner={isOwner} />
            <List
              title="Versions"
              label="Versions of the shop"
              about="A version never changes. Undo publishes the previous version again."
              rows={found.versions}
              columns={columns}
              keyOf={({ version }) => version}
              empty={{ title: 'No versions yet', about: 'Each time you apply the settings, a version appears here.' }}
            />
            {undoing && (
              <ActDialog
                line="POST /shop/undo"
                title="Undo the last version"
                about={`The version before ${found.version} is published again within two seconds, with its name, colors, pages and tools.`}
                submit="Undo"
                busy="Undoing"
                input={() => ({ version: found.version })}
                onClose={() => setUndoing(false)}
              />
            )}
          </>
        )}
      </Loaded>
    </>
  )
}

const columns: Columns<Shop['versions'][number]> = [
  col('Version', ({ version }) => version),
  col('Name', 'rest', ({ name }) => name),
  time('Applied (UTC)', (one) => one.applied_at),
  col('State', ({ served }) => served && <Badge tone="success">Published</Badge>),
]
