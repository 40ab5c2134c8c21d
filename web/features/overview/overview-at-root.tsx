import { DashboardFrame } from '../../layout/dashboard-layout.tsx'
import type { SessionUser } from '../../lib/session.ts'
import { OverviewPage } from './overview-page.tsx'

/** Overview in the dashboard's frame, for the root path, which has no frame of its own. */
export default function OverviewAtRoot({ user }: { user: SessionUser }) {
  return (
    <DashboardFrame user={user}>
      <OverviewPage />
    </DashboardFrame>
  )
}
