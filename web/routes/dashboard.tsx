import { createFileRoute, Outlet } from '@tanstack/react-router'
import { DashboardLayout } from '../layout/dashboard-layout.tsx'

export const Route = createFileRoute('/dashboard')({
  component: () => (
    <DashboardLayout>
      <Outlet />
    </DashboardLayout>
  ),
})
