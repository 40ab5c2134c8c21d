import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { layoutText } from '../../layout/text.ts'
import { signOutToHome } from '../../lib/auth/sign-out.ts'
import { setTheme, type Theme } from '../../lib/theme.ts'
import { Building2, Monitor, Moon, ScrollText, Smartphone, Sun } from '../../ui/icons/dashboard.ts'
import { KeyRound } from '../../ui/icons/docs.ts'
import { LogOut } from '../../ui/icons/public.ts'
import { keysQuery } from '../keys/queries.ts'
import { useSwitchWorkspace, useWorkspaces } from '../workspaces/queries.ts'
import type { Command } from './commands.ts'
import { dashboardPages } from './navigation.ts'
import { dashboardText as text } from './text.ts'
import { useKeyCommands } from './use-key-commands.ts'
import { useManagerCommands } from './use-manager-commands.ts'

const themes = [
  ['system', 'Theme: System', Monitor],
  ['light', 'Theme: Light', Sun],
  ['dark', 'Theme: Dark', Moon],
] as const satisfies [Theme, string, unknown][]

/** All commands for this user in this workspace. */
export function useCommands(): Command[] {
  const navigate = useNavigate()
  const { data: keys = [] } = useQuery(keysQuery)
  const { workspaces, current } = useWorkspaces()
  const switchTo = useSwitchWorkspace()
  const forManagers = useManagerCommands(keys)
  const forKeys = useKeyCommands(keys)
  return [
    ...dashboardPages.map((page) => ({
      ...page,
      id: page.to,
      group: 'Pages',
      run: () => navigate({ to: page.to }),
    })),
    {
      id: 'security',
      group: 'Pages',
      label: 'Security',
      icon: Smartphone,
      words: 'two-factor sessions password accounts',
      run: () => navigate({ to: '/dashboard/settings/security' }),
    },
    {
      id: 'audit-log',
      group: 'Pages',
      label: 'Audit log',
      icon: ScrollText,
      run: () => navigate({ to: '/dashboard/settings/audit-log' }),
    },
    ...forManagers,
    ...forKeys,
    ...themes.map(([theme, label, icon]) => ({
      id: theme,
      group: 'Actions',
      label,
      icon,
      words: 'mode appearance',
      run: () => setTheme(theme),
    })),
    {
      id: 'log-out',
      group: 'Actions',
      label: layoutText.logOut,
      icon: LogOut,
      words: 'sign out',
      run: () => void signOutToHome(),
    },
    ...workspaces
      .filter(({ id }) => id !== current?.id)
      .map((one) => ({
        id: one.id,
        group: text.workspaces,
        label: one.name,
        icon: Building2,
        run: () => {
          void switchTo(one)
          void navigate({ to: '/dashboard' })
        },
      })),
    ...keys.map(({ id, name }) => ({
      id,
      group: 'API keys',
      label: name,
      icon: KeyRound,
      run: () => navigate({ to: '/dashboard/api-keys/$keyId', params: { keyId: id } }),
    })),
  ]
}
