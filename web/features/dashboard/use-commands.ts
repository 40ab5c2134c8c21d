import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { layoutText as text } from '../../layout/text.ts'
import { signOutToHome } from '../../lib/auth/sign-out.ts'
import { setTheme, type Theme } from '../../lib/theme.ts'
import { keysQuery } from '../keys/queries.ts'
import { useMayManage, useSwitchWorkspace, useWorkspaces } from '../workspaces/queries.ts'
import type { Command } from './commands.ts'
import { dashboardPages } from './navigation.ts'

const themes: [Theme, string][] = [
  ['system', 'Theme: System'],
  ['light', 'Theme: Light'],
  ['dark', 'Theme: Dark'],
]

/** All commands for this user in this workspace. */
export function useCommands(): Command[] {
  const navigate = useNavigate()
  const { data: keys = [] } = useQuery(keysQuery)
  const { workspaces, current } = useWorkspaces()
  const mayManage = useMayManage()
  const switchTo = useSwitchWorkspace()
  return [
    ...dashboardPages.map(({ to, label }) => ({ id: to, group: 'Pages', label, run: () => navigate({ to }) })),
    {
      id: 'audit-log',
      group: 'Pages',
      label: 'Audit log',
      run: () => navigate({ to: '/dashboard/settings/audit-log' }),
    },
    ...(mayManage
      ? [
          {
            id: 'new-key',
            group: 'Actions',
            label: 'Create API Key',
            run: () => navigate({ to: '/dashboard/api-keys/new' }),
          },
          {
            id: 'invite',
            group: 'Actions',
            label: 'Invite a team member',
            run: () => navigate({ to: '/dashboard/settings/team' }),
          },
        ]
      : []),
    ...themes.map(([theme, label]) => ({ id: theme, group: 'Actions', label, run: () => setTheme(theme) })),
    { id: 'log-out', group: 'Actions', label: text.logOut, run: () => void signOutToHome() },
    ...workspaces
      .filter(({ id }) => id !== current?.id)
      .map((one) => ({
        id: one.id,
        group: text.workspaces,
        label: one.name,
        run: () => {
          void switchTo(one)
          void navigate({ to: '/dashboard' })
        },
      })),
    ...keys.map(({ id, name }) => ({
      id,
      group: 'API keys',
      label: name,
      run: () => navigate({ to: '/dashboard/api-keys/$keyId', params: { keyId: id } }),
    })),
  ]
}
