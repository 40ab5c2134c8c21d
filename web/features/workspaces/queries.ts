import { queryOptions, useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useSyncExternalStore } from 'react'
import type { Workspace } from '#contract/account.ts'
import { api } from '../../lib/http/api.ts'
import { onWorkspaceChange, selectedWorkspace, selectWorkspace } from '../../lib/workspace.ts'
import { toast } from '../../ui/toast/toast-store.ts'

/** The user's workspaces, their own first. */
export const workspacesQuery = queryOptions({
  queryKey: ['workspaces'],
  queryFn: ({ signal }) => api('listWorkspaces', { signal, workspace: 'own' }).then((data) => data.workspaces),
  staleTime: 60_000,
})

const useSelected = () => useSyncExternalStore(onWorkspaceChange, selectedWorkspace, () => null)

/** The workspaces and the current one. If the user is no longer a member of it, their own workspace replaces it. */
export function useWorkspaces(): { workspaces: Workspace[]; current: Workspace | null } {
  const client = useQueryClient()
  const { data: workspaces = [] } = useQuery(workspacesQuery)
  const wanted = useSelected()
  const chosen = wanted ? workspaces.find(({ id }) => id === wanted) : workspaces.find(({ personal }) => personal)
  const lost = wanted !== null && workspaces.length > 0 && !chosen
  useEffect(() => {
    if (!lost) return
    selectWorkspace(null)
    toast({ title: 'You are no longer a member of that workspace', description: 'You are now in your own workspace.' })
    void client.resetQueries()
  }, [lost, client])
  return { workspaces, current: chosen ?? null }
}

/** False for members, who can see keys and plan but not change them. */
export function useMayManage(): boolean {
  const { data } = useQuery(workspacesQuery)
  const wanted = useSelected()
  return wanted === null || data?.find(({ id }) => id === wanted)?.role !== 'member'
}

/** Query keys that belong to the user rather than a workspace: the list of workspaces, and consent requests. */
const userQueryKeys: unknown[] = ['workspaces', 'consent']

/** Switches to a workspace and clears the cached data of the previous one. */
export function useSwitchWorkspace() {
  const client = useQueryClient()
  return async (workspace: Workspace) => {
    selectWorkspace(workspace.personal ? null : workspace.id)
    await client.resetQueries({ predicate: ({ queryKey }) => !userQueryKeys.includes(queryKey[0]) })
  }
}
