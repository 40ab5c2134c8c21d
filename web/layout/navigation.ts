import { KeyRound, LayoutDashboard } from 'lucide-react'

/** The pages of the dashboard in the order of the sidebar. `exact`: highlighted on this path only, not below it. */
export const dashboardPages = [
  { to: '/dashboard', label: 'Overview', icon: LayoutDashboard, exact: true },
  { to: '/dashboard/api-keys', label: 'API Keys', icon: KeyRound, exact: false },
] as const
