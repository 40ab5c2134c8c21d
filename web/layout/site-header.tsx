import type { ReactNode } from 'react'
import { useSession } from '../lib/session.ts'
import { AccountButton } from './account-button.tsx'
import { HeaderFrame } from './header-frame.tsx'
import { LogInLink } from './public-header.tsx'

/** The header of the root and of every page under /dashboard: the account is a menu. */
export function SiteHeader({ lead }: { lead?: ReactNode }) {
  const { user, loading } = useSession()
  return (
    <HeaderFrame signedIn={user !== null || (loading && lead !== undefined)} lead={lead} compact={lead !== undefined}>
      {user ? <AccountButton user={user} /> : <LogInLink hidden={loading} />}
    </HeaderFrame>
  )
}
