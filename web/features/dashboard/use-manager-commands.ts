import { useNavigate } from '@tanstack/react-router'
import type { ApiKey } from '#contract/keys.ts'
import { Layers, RefreshCw, UserPlus } from '../../ui/icons/dashboard.ts'
import { Coins, KeyRound } from '../../ui/icons/docs.ts'
import { useMayManage } from '../workspaces/queries.ts'
import type { Command } from './commands.ts'

/** Actions of owners and admins. Each leads to its form, with the focus in it. */
export function useManagerCommands(keys: readonly ApiKey[]): Command[] {
  const navigate = useNavigate()
  const mayManage = useMayManage()
  if (!mayManage) return []
  const actions: Omit<Command, 'group'>[] = [
    {
      id: 'new-key',
      label: 'Create API Key',
      icon: KeyRound,
      words: 'new',
      run: () => navigate({ to: '/dashboard/api-keys/new' }),
    },
    {
      id: 'invite',
      label: 'Invite a team member',
      icon: UserPlus,
      words: 'people add user',
      run: () => navigate({ to: '/dashboard/settings/team', hash: 'invite' }),
    },
    {
      id: 'buy-credits',
      label: 'Buy credits',
      icon: Coins,
      words: 'top up topup',
      run: () => navigate({ to: '/dashboard/billing', hash: 'buy-credits' }),
    },
    {
      id: 'change-plan',
      label: 'Choose a plan',
      icon: Layers,
      words: 'change upgrade subscription pricing',
      run: () => navigate({ to: '/dashboard/billing', hash: 'plans' }),
    },
    ...keys.map(({ id, name }) => ({
      id: `rotate-${id}`,
      label: `Rotate ${name}`,
      icon: RefreshCw,
      words: 'key',
      searchedOnly: true as const,
      run: () =>
        navigate({
          to: '/dashboard/api-keys/$keyId',
          params: { keyId: id },
          hash: 'rotate',
        }),
    })),
  ]
  return actions.map((action) => ({ ...action, group: 'Actions' }))
}
