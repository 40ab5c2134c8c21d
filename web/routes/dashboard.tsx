import { createFileRoute, Outlet } from '@tanstack/react-router'
import { DashboardLayout } from '../features/dashboard/dashboard-layout.tsx'

export const Route = createFileRoute('/dashboard')({
  component: () => (
    <DashboardLayout>
      <Outlet />
    </DashboardLayout>
  ),
})
