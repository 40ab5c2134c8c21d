import { clsx } from 'clsx'
import { visible } from '../../lib/visible.ts'
import { jsonText } from './json-text.ts'
import { answerText as text } from './text.ts'

/** The browser cannot render more without stalling. */
const mostCharacters = 200_000

/** A value as formatted JSON, in a scrolling box. `label` names the box for screen readers. */
export function JsonBlock({ data, label, className = 'mt-2 max-h-80' }: JsonBlockProps) {
  const whole = jsonText(data)
  const shown = whole.length > mostCharacters ? `${whole.slice(0, mostCharacters)}\n${text.cut}` : whole
  return (
    <section
      // Only what has a name is a landmark: a conversation has many of these.
      aria-label={label}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
      tabIndex={0}
      className={clsx('overflow-auto rounded-control border border-line bg-sunken p-3 -outline-offset-2', className)}
    >
      <pre className="font-mono text-small leading-5">{visible(shown)}</pre>
    </section>
  )
}

interface JsonBlockProps {
  data: unknown
  label?: string | undefined
  className?: string
}
