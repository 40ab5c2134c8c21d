import { Link } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import type { SessionUser } from '../lib/auth/session.ts'
import { signOutToHome } from '../lib/auth/sign-out.ts'
import { readTheme, setTheme, type Theme } from '../lib/theme.ts'
import { Avatar } from '../ui/avatar.tsx'
import { LogOut, Settings } from '../ui/icons/public.ts'
import { Menu, MenuChoice, MenuDivider, MenuItem } from '../ui/menu.tsx'
import { layoutText } from './text.ts'

const themes = [
  { value: 'system', label: 'System' },
  { value: 'light', label: 'Light' },
  { value: 'dark', label: 'Dark' },
] as const

/** The account menu: user, theme and sign-out. It is mounted open: the click that opens it loads its code. */
export function AccountMenu({ user, trigger }: { user: SessionUser; trigger: ReactNode }) {
  const [theme, choose] = useState<Theme>(readTheme)
  const name = user.fullName ?? layoutText.defaultName
  return (
    <Menu trigger={trigger} label="Account">
      <div className="flex max-w-72 items-center gap-3 px-2.5 py-2">
        <Avatar user={user} className="size-9" />
        <div className="min-w-0">
          <p className="truncate font-strong">{name}</p>
          <p className="truncate text-muted">{user.email ?? layoutText.noEmail}</p>
        </div>
      </div>
      <MenuDivider />
      <MenuChoice
        label="Theme"
        value={theme}
        options={themes}
        onChange={(next) => {
          setTheme(next)
          choose(next)
        }}
      />
      <MenuDivider />
      <MenuItem asChild>
        <Link to="/dashboard/settings">
          <Settings aria-hidden="true" className="size-4 text-muted" />
          {layoutText.settings}
        </Link>
      </MenuItem>
      <MenuItem onSelect={signOutToHome}>
        <LogOut aria-hidden="true" className="size-4 text-muted" />
        {layoutText.logOut}
      </MenuItem>
    </Menu>
  )
}
