import type { SessionUser } from '../../lib/auth/session.ts'
import { DashboardFrame } from '../dashboard/dashboard-layout.tsx'
import { OverviewPage } from './overview-page.tsx'

/**
 * Overview in the dashboard's frame, for the root path, whose route has no frame. Null: the session check is running.
 */
export default function OverviewAtRoot({ user }: { user: SessionUser | null }) {
  return <DashboardFrame user={user}>{user && <OverviewPage />}</DashboardFrame>
}
