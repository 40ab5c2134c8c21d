import { type Ref, useState } from 'react'
import { layoutText } from '../../layout/text.ts'
import type { SessionUser } from '../../lib/auth/session.ts'
import { Avatar } from '../../ui/avatar.tsx'
import { ChevronsUpDown } from '../../ui/icons/dashboard.ts'
import { useWorkspaces } from '../workspaces/queries.ts'
import { dashboardText } from './text.ts'

type MenuModule = typeof import('./workspace-menu.tsx')

/** The current workspace and user; a menu button if there is more than one workspace. */
export function WorkspaceSwitch({ user }: { user: SessionUser }) {
  const { workspaces, current } = useWorkspaces()
  const [menu, setMenu] = useState<{ Menu: MenuModule['WorkspaceMenu'] } | null>(null)
  const name = current?.name ?? dashboardText.personal
  if (workspaces.length < 2)
    return (
      <div className="flex items-center gap-3 px-1 py-1">
        <Who user={user} name={name} />
      </div>
    )
  const load = () => import('./workspace-menu.tsx')
  if (menu) return <menu.Menu trigger={<SwitchButton user={user} name={name} />} />
  return (
    <SwitchButton
      user={user}
      name={name}
      onPointerEnter={load}
      onFocus={load}
      onClick={() => load().then(({ WorkspaceMenu }) => setMenu({ Menu: WorkspaceMenu }))}
      aria-haspopup="menu"
      aria-expanded={false}
    />
  )
}

interface SwitchButtonProps extends React.ButtonHTMLAttributes<HTMLButtonElement> {
  user: SessionUser
  /** The workspace's name. */
  name: string
  ref?: Ref<HTMLButtonElement>
}

function SwitchButton({ user, name, ...rest }: SwitchButtonProps) {
  return (
    <button
      {...rest}
      type="button"
      aria-label={dashboardText.switchWorkspace(name)}
      className="flex w-full items-center gap-3 rounded-control px-1 py-1 text-left transition-colors duration-150 hover:bg-hover"
    >
      <Who user={user} name={name} />
      <ChevronsUpDown aria-hidden="true" className="ml-auto size-4 shrink-0 text-mark" />
    </button>
  )
}

function Who({ user, name }: { user: SessionUser; name: string }) {
  return (
    <>
      <Avatar user={user} className="size-9" />
      <span className="min-w-0">
        <span className="block truncate font-strong" title={name}>
          <bdi>{name}</bdi>
        </span>
        <span className="block truncate text-small text-muted" title={user.email ?? undefined}>
          {user.email ?? layoutText.noEmail}
        </span>
      </span>
    </>
  )
}
