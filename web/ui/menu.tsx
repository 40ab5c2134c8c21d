import * as Primitive from '@radix-ui/react-dropdown-menu'
import { clsx } from 'clsx'
import type { ReactNode } from 'react'
import { Check } from './icons/public.ts'

/**
 * A menu below its trigger, open from the start. `trigger` must be a button. It stays within its trigger's landmark.
 */
export function Menu({ trigger, label, children }: { trigger: ReactNode; label: string; children: ReactNode }) {
  return (
    <Primitive.Root modal={false} defaultOpen>
      <Primitive.Trigger asChild>{trigger}</Primitive.Trigger>
      <Primitive.Content
        aria-label={label}
        align="end"
        sideOffset={6}
        collisionPadding={8}
        className="z-40 max-h-(--radix-dropdown-menu-content-available-height) min-w-60 animate-fade-in rounded-card overflow-y-auto border border-line bg-surface p-1.5 text-body shadow-raised"
      >
        {children}
      </Primitive.Content>
    </Primitive.Root>
  )
}

const itemClass =
  'flex h-9 cursor-pointer items-center gap-2.5 rounded-control px-2.5 outline-none select-none data-highlighted:bg-hover pointer-coarse:h-11'

export function MenuItem({
  onSelect,
  asChild,
  children,
}: {
  onSelect?: () => void
  asChild?: boolean
  children: ReactNode
}) {
  return (
    <Primitive.Item asChild={asChild} onSelect={onSelect} className={itemClass}>
      {children}
    </Primitive.Item>
  )
}

interface MenuChoiceProps<T extends string> {
  label: string
  value: T
  options: readonly { value: T; label: string }[]
  onChange: (value: T) => void
}

/** A choice as a group of radio items. Choosing keeps the menu open so that the effect is visible. */
export function MenuChoice<T extends string>({ label, value, options, onChange }: MenuChoiceProps<T>) {
  return (
    <>
      <Primitive.Label className="px-2.5 pt-2 pb-1 text-small text-muted">{label}</Primitive.Label>
      <Primitive.RadioGroup value={value} onValueChange={(next) => onChange(next as T)}>
        {options.map((option) => (
          <Primitive.RadioItem
            key={option.value}
            value={option.value}
            onSelect={(event) => event.preventDefault()}
            className={clsx(itemClass, 'justify-between')}
          >
            {option.label}
            <Primitive.ItemIndicator>
              <Check aria-hidden="true" className="size-4 text-accent" />
            </Primitive.ItemIndicator>
          </Primitive.RadioItem>
        ))}
      </Primitive.RadioGroup>
    </>
  )
}

export function MenuDivider() {
  return <Primitive.Separator className="my-1.5 h-px bg-line" />
}
