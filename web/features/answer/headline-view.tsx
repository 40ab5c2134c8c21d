import { clsx } from 'clsx'
import { visible } from '../../lib/visible.ts'
import { ArrowDown, ArrowUp } from '../../ui/icons/answer.ts'
import { ArrowRight } from '../../ui/icons/public.ts'
import type { Change, Headline } from './headline.ts'

const directions = {
  up: { icon: ArrowUp, word: 'Up', color: 'text-success' },
  down: { icon: ArrowDown, word: 'Down', color: 'text-danger' },
  unchanged: { icon: ArrowRight, word: 'Unchanged', color: 'text-muted' },
}

/** Symbol, value and change, large enough to be read first. */
export function HeadlineView({
  headline: { symbol, name, value, unit, date, dateText, change },
}: {
  headline: Headline
}) {
  return (
    <div className="min-w-0">
      <p className="break-words text-muted max-sm:line-clamp-2">
        <span className="font-strong text-ink">{visible(symbol)}</span>
        {name && <span> · {visible(name)}</span>}
      </p>
      <p className="flex flex-wrap items-baseline gap-x-2">
        <span className="text-title font-strong figures">{value}</span>
        <span className="text-muted">
          {unit && visible(unit)}
          {unit && date && ' · '}
          {date && <time dateTime={date}>{dateText}</time>}
        </span>
      </p>
      {change && <ChangeText change={change} />}
    </div>
  )
}

function ChangeText({ change: { direction, amount, percent, since } }: { change: Change }) {
  const { icon: Icon, word, color } = directions[direction]
  return (
    // More is good news only for prices: what has no percentage has no color.
    <p
      className={clsx(
        'flex flex-wrap items-center gap-x-1 text-small figures',
        percent === null ? 'text-muted' : color,
      )}
    >
      <Icon aria-hidden="true" className="size-4" />
      <span className="font-strong">
        {direction === 'unchanged' ? word : `${word} ${amount}${percent === null ? '' : ` (${percent}%)`}`}
      </span>
      <span className="text-muted">{since}</span>
    </p>
  )
}
