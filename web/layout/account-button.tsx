import { type Ref, useEffect, useState } from 'react'
import type { SessionUser } from '../lib/auth/session.ts'
import { Avatar } from '../ui/avatar.tsx'

type MenuModule = typeof import('./account-menu.tsx')

const load = () => import('./account-menu.tsx')

/**
 * The avatar that opens the account menu. The menu's code loads on hover or focus; on touch devices, when the page is
 * idle.
 */
export function AccountButton({ user }: { user: SessionUser }) {
  const [menu, setMenu] = useState<{ Menu: MenuModule['AccountMenu'] } | null>(null)
  useEffect(() => {
    const timer = setTimeout(() => void load().catch(() => {}), 2000)
    return () => clearTimeout(timer)
  }, [])
  if (menu) return <menu.Menu user={user} trigger={<AvatarButton user={user} />} />
  const open = () => load().then(({ AccountMenu }) => setMenu({ Menu: AccountMenu }))
  return (
    <AvatarButton
      user={user}
      onPointerEnter={load}
      onFocus={load}
      onClick={open}
      aria-haspopup="menu"
      aria-expanded={false}
    />
  )
}

interface AvatarButtonProps extends React.ButtonHTMLAttributes<HTMLButtonElement> {
  user: SessionUser
  ref?: Ref<HTMLButtonElement>
}

function AvatarButton({ user, ...rest }: AvatarButtonProps) {
  return (
    <button {...rest} type="button" aria-label="Account menu" className="rounded-full pointer-coarse:p-1.5">
      <Avatar user={user} />
    </button>
  )
}
