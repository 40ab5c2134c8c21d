import { CreditCard, LayoutDashboard, ReceiptText, Users } from '../../ui/icons/dashboard.ts'
import { KeyRound, Sheet } from '../../ui/icons/docs.ts'
import { MessagesSquare, Settings } from '../../ui/icons/public.ts'

/** The dashboard's pages in sidebar order. */
export const dashboardPages = [
  { to: '/dashboard', label: 'Overview', icon: LayoutDashboard },
  { to: '/dashboard/api-keys', label: 'API Keys', icon: KeyRound },
  { to: '/dashboard/playground', label: 'Playground', icon: MessagesSquare },
  { to: '/dashboard/spreadsheets', label: 'Spreadsheets', icon: Sheet, words: 'excel google sheets csv formula' },
  { to: '/dashboard/billing', label: 'Billing', icon: CreditCard },
  { to: '/dashboard/billing/invoices', label: 'Invoices', icon: ReceiptText },
  { to: '/dashboard/settings/team', label: 'Team', icon: Users },
  { to: '/dashboard/settings', label: 'Settings', icon: Settings },
] as const

/** The sidebar item of a path: the longest prefix; Overview only for itself and the root. */
export function currentPage(path: string): string | undefined {
  const here = path.replace(/\/+$/, '') || '/'
  if (here === '/' || here === '/dashboard') return '/dashboard'
  return dashboardPages
    .map(({ to }) => to)
    .filter((to) => to !== '/dashboard' && (here === to || here.startsWith(`${to}/`)))
    .sort((a, b) => b.length - a.length)[0]
}
