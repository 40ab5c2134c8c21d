import { type ReactNode, useState } from 'react'
import { Button } from '../../ui/button.tsx'
import { Ellipsis } from '../../ui/icons/dashboard.ts'
import { Menu, MenuItem } from '../../ui/menu.tsx'

interface MenuButtonProps {
  /** Of the menu and, where its content is an icon, of the button. */
  label: string
  items: readonly { label: string; onSelect: () => void }[]
  /** On the button; missing: three dots. */
  children?: ReactNode
}

/** A button with a menu of acts. The menu is made at the first press: a list has many. */
export function MenuButton({ label, items, children }: MenuButtonProps) {
  const [used, setUsed] = useState(false)
  const trigger = children ? (
    <Button size="small" onClick={() => setUsed(true)}>
      {children}
    </Button>
  ) : (
    <Button data-menu="" size="icon" look="quiet" aria-label={label} onClick={() => setUsed(true)}>
      <Ellipsis aria-hidden="true" className="size-4" />
    </Button>
  )
  if (!used) return trigger
  return (
    <Menu trigger={trigger} label={label}>
      {items.map((item) => (
        <MenuItem key={item.label} onSelect={item.onSelect}>
          {item.label}
        </MenuItem>
      ))}
    </Menu>
  )
}
