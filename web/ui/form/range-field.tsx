import { type CSSProperties, useId } from 'react'

interface RangeFieldProps {
  label: string
  value: number
  min: number
  max: number
  step?: number
  /** The value as readers see it, also for screen readers. */
  shown: string
  onChange: (value: number) => void
}

/** A number that is chosen by dragging or with the arrow keys, with its value beside the label. */
export function RangeField({ label, shown, onChange, ...range }: RangeFieldProps) {
  const id = useId()
  const at = (100 * (range.value - range.min)) / (range.max - range.min)
  return (
    <div>
      <div className="flex items-baseline justify-between gap-3">
        <label htmlFor={id} className="text-muted">
          {label}
        </label>
        <output htmlFor={id} className="font-strong figures">
          {shown}
        </output>
      </div>
      <input
        {...range}
        id={id}
        type="range"
        aria-valuetext={shown}
        onChange={({ target }) => onChange(Number(target.value))}
        style={{ '--at': `${at}%` } as CSSProperties}
        className="range mt-1 h-6 w-full accent-(--accent) pointer-coarse:h-11"
      />
    </div>
  )
}
