import type { CreditHistory } from '#contract/usage.ts'
import { formatUtcDate, formatWhole } from '../../lib/format.ts'
import type { Forecast } from '../credits/credit-outlook.ts'
import type { Bucket } from './buckets.ts'
import { usageText as text } from './text.ts'

/** Credits over time, for the chart below that of the requests. */
export interface Course {
  days: CreditHistory['days']
  forecast: Forecast | null
}

const dayMs = 86_400_000

/** Days to draw after today: up to the day the credits run out, at most a sixth of the chart's: the text has the day. */
export function daysAhead(course: Course | null | undefined, buckets: readonly Bucket[]): number {
  const today = buckets.at(-1)?.start
  const runOutOn = course?.forecast?.runOutOn
  if (!runOutOn || !today) return 0
  return Math.min(Math.ceil(buckets.length / 5), Math.floor((runOutOn.getTime() - today.getTime()) / dayMs) + 1)
}

/** The days of the chart that have credits, with their place in it, beginning with the first credits. */
export function creditPoints(days: CreditHistory['days'], buckets: readonly Bucket[]) {
  const byDate = new Map(days.map((day) => [day.date, day]))
  const points = buckets.flatMap(({ start }, index) => {
    const day = byDate.get(start.toISOString().slice(0, 10))
    return day ? [{ index, ...day }] : []
  })
  const first = points.findIndex(({ remaining, spent }) => remaining > 0 || spent > 0)
  return first === -1 ? [] : points.slice(first)
}

/** What the chart of credits shows, in words, with the day they run out. */
export function CourseText({ course: { days, forecast } }: { course: Course }) {
  return (
    <p className="mt-3 min-h-5 max-sm:min-h-15">
      <span className="font-strong figures">
        {text.creditsLeft} {formatWhole(days.at(-1)?.remaining)}
      </span>
      {forecast && (
        <span className="text-muted">
          {' '}
          {text.pace(formatWhole(Math.max(1, forecast.perDay)))}
          {forecast.runOutOn && ` ${text.runOut(formatUtcDate(forecast.runOutOn))}`}
        </span>
      )}
    </p>
  )
}
