import type { ReactNode } from 'react'
import { useSession } from '../lib/auth/session.ts'
import { AccountButton } from './account-button.tsx'
import { HeaderFrame } from './header-frame.tsx'
import { LogInLink } from './public-header.tsx'

/** The header of the root and of all pages under /dashboard, with the account menu. */
export function SiteHeader({ lead }: { lead?: ReactNode }) {
  const { user, loading } = useSession()
  return (
    <HeaderFrame signedIn={user !== null || (loading && lead !== undefined)} lead={lead} compact={lead !== undefined}>
      {user ? <AccountButton user={user} /> : <LogInLink hidden={loading} />}
    </HeaderFrame>
  )
}
