import type { InputHTMLAttributes } from 'react'

/** A native checkbox with a label. */
export function Checkbox({ label, ...rest }: { label: string } & InputHTMLAttributes<HTMLInputElement>) {
  return (
    <label className="flex items-center gap-2.5 pointer-coarse:min-h-11">
      <input {...rest} type="checkbox" className="size-4 accent-accent" />
      {label}
    </label>
  )
}
