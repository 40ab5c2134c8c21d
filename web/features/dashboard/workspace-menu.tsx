import { useNavigate } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { Menu, MenuChoice } from '../../ui/menu.tsx'
import { useSwitchWorkspace, useWorkspaces } from '../workspaces/queries.ts'
import { dashboardText } from './text.ts'

/** The workspace menu. It is mounted open: the click that opens it loads its code. */
export function WorkspaceMenu({ trigger }: { trigger: ReactNode }) {
  const { workspaces, current } = useWorkspaces()
  const switchTo = useSwitchWorkspace()
  const navigate = useNavigate()
  return (
    <Menu trigger={trigger} label={dashboardText.workspaces}>
      <MenuChoice
        label={dashboardText.workspaces}
        value={current?.id ?? ''}
        options={workspaces.map(({ id, name }) => ({ value: id, label: name }))}
        onChange={(id) => {
          const chosen = workspaces.find((one) => one.id === id)
          if (!chosen || chosen.id === current?.id) return
          void switchTo(chosen)
          void navigate({ to: '/dashboard' })
        }}
      />
    </Menu>
  )
}
