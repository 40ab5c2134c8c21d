import { DashboardFrame } from '../../layout/dashboard-layout.tsx'
import type { SessionUser } from '../../lib/session.ts'
import { OverviewPage } from './overview-page.tsx'

/** Overview in the dashboard's frame, for the root path, which has no frame of its own. Null: the session is being checked. */
export default function OverviewAtRoot({ user }: { user: SessionUser | null }) {
  return <DashboardFrame user={user}>{user && <OverviewPage />}</DashboardFrame>
}
