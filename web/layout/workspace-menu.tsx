import { useNavigate } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { useSwitchWorkspace, useWorkspaces } from '../features/workspaces/queries.ts'
import { Menu, MenuChoice } from '../ui/menu.tsx'
import { layoutText } from './text.ts'

/** The workspaces to choose from. It appears open: it is loaded by the press that asks for it. */
export function WorkspaceMenu({ trigger }: { trigger: ReactNode }) {
  const { workspaces, current } = useWorkspaces()
  const switchTo = useSwitchWorkspace()
  const navigate = useNavigate()
  return (
    <Menu trigger={trigger} label={layoutText.workspaces}>
      <MenuChoice
        label={layoutText.workspaces}
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
