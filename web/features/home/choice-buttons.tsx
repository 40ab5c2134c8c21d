import { clsx } from 'clsx'
import { Button } from '../../ui/button.tsx'

interface ChoicesProps {
  /** The group's name for screen readers. */
  label: string
  className: string
  options: { name: string; chosen: boolean; choose: () => void }[]
}

/** Small buttons of which one is pressed. */
export function ChoiceButtons({ label, className, options }: ChoicesProps) {
  return (
    <fieldset className={clsx('gap-1.5', className)}>
      <legend className="sr-only">{label}</legend>
      {options.map(({ name, chosen, choose }) => (
        <Button
          key={name}
          size="small"
          aria-pressed={chosen}
          className="h-auto min-h-8 min-w-0 py-1 aria-pressed:border-accent-line aria-pressed:bg-accent-soft aria-pressed:text-accent"
          onClick={choose}
        >
          <span className="line-clamp-2 min-w-0 text-balance">{name}</span>
        </Button>
      ))}
    </fieldset>
  )
}
