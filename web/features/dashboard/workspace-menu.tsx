import { useNavigate } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { layoutText } from '../../layout/text.ts'
import { Menu, MenuChoice } from '../../ui/menu.tsx'
import { useSwitchWorkspace, useWorkspaces } from '../workspaces/queries.ts'

/** The workspace menu. It is mounted open: the click that opens it loads its code. */
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
