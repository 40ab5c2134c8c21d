import { Link } from '@tanstack/react-router'

const tabs = [
  { to: '/dashboard/settings', label: 'Account', exact: true },
  { to: '/dashboard/settings/security', label: 'Security', exact: false },
  { to: '/dashboard/settings/audit-log', label: 'Audit log', exact: false },
] as const

/** Tabs of the settings pages. */
export function SettingsTabs() {
  return (
    <nav aria-label="Settings" className="overflow-x-auto border-b border-line">
      <ul className="flex gap-5">
        {tabs.map(({ to, label, exact }) => (
          <li key={to}>
            <Link
              to={to}
              activeOptions={{ exact }}
              className="block border-b-2 pt-1 pb-2 whitespace-nowrap -outline-offset-2 pointer-coarse:py-3"
              activeProps={{ className: 'border-ink font-strong text-ink' }}
              inactiveProps={{ className: 'border-transparent text-muted hover:text-ink' }}
            >
              {label}
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  )
}
