import { queryOptions, useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useSyncExternalStore } from 'react'
import type { Workspace } from '#contract/account.ts'
import { api } from '../../lib/api.ts'
import { onWorkspaceChange, selectedWorkspace, selectWorkspace } from '../../lib/workspace.ts'
import { toast } from '../../ui/toast-store.ts'

/** The workspaces of the person, their own first. */
export const workspacesQuery = queryOptions({
  queryKey: ['workspaces'],
  queryFn: ({ signal }) =>
    api<{ workspaces: Workspace[] }>('/api/workspaces', { signal, workspace: 'own' }).then((data) => data.workspaces),
  staleTime: 60_000,
})

const useSelected = () => useSyncExternalStore(onWorkspaceChange, selectedWorkspace, () => null)

/** The workspaces and the one in use. When the membership of that one has ended, the person's own takes its place. */
export function useWorkspaces(): { workspaces: Workspace[]; current: Workspace | null } {
  const client = useQueryClient()
  const { data: workspaces = [] } = useQuery(workspacesQuery)
  const wanted = useSelected()
  const chosen = wanted ? workspaces.find(({ id }) => id === wanted) : workspaces.find(({ personal }) => personal)
  const lost = wanted !== null && workspaces.length > 0 && !chosen
  useEffect(() => {
    if (!lost) return
    selectWorkspace(null)
    toast({ title: 'You are no longer a member of that workspace', description: 'Your own one is shown instead.' })
    void client.resetQueries()
  }, [lost, client])
  return { workspaces, current: chosen ?? null }
}

/** False for members of the workspace in use, who see its keys and plan and change neither. */
export function useMayManage(): boolean {
  const { data } = useQuery(workspacesQuery)
  const wanted = useSelected()
  return wanted === null || data?.find(({ id }) => id === wanted)?.role !== 'member'
}

/** What is the person's, in whatever workspace: the list to choose from, and what an application asks of them. */
const ofPerson: unknown[] = ['workspaces', 'consent']

/** Makes a workspace the one in use and forgets what was shown of the other. */
export function useSwitchWorkspace() {
  const client = useQueryClient()
  return async (workspace: Workspace) => {
    selectWorkspace(workspace.personal ? null : workspace.id)
    await client.resetQueries({ predicate: ({ queryKey }) => !ofPerson.includes(queryKey[0]) })
  }
}
