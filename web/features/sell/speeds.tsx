import { clsx } from 'clsx'
import { formatWhole } from '../../lib/format.ts'
import { sellText } from './text.ts'

const { title, list, repeat } = sellText.comparison.speeds
const most = Math.max(...list.map(({ perSecond }) => perSecond))
/** Our own row. */
const OURS = 1

/** How fast a metered call is, as bars. */
export const Speeds = () => (
  <figure className="mt-8">
    <figcaption className="flex flex-wrap items-baseline justify-between gap-x-6 gap-y-1">
      <span className="font-strong">{title}</span>
      <span className="text-small text-muted">
        {repeat} <code className="rounded-[6px] bg-sunken px-1.5 py-0.5 font-mono">npm run bench</code>
      </span>
    </figcaption>
    <ul className="mt-3 grid gap-x-4 gap-y-2 sm:grid-cols-[max-content_1fr]">
      {list.map(({ name, perSecond }, index) => (
        <li key={name} className="contents">
          <span className={clsx('max-sm:mt-1', index === OURS ? 'font-strong text-accent' : 'text-muted')}>
            {name}{' '}
          </span>
          <span className="flex items-center gap-2 figures">
            <span
              aria-hidden="true"
              style={{ width: `${(85 * perSecond) / most}%` }}
              className={clsx('swatch h-3 min-w-1 rounded-[3px]', index === OURS ? 'bg-accent' : 'bg-line-strong')}
            />
            {formatWhole(perSecond)}
          </span>
        </li>
      ))}
    </ul>
  </figure>
)
