import { formatAgo, formatClock, formatDate } from '../../lib/format.ts'

/**
 * When a call was made, so that neighbors in a list differ: '12 seconds ago' in the first minute, then the time of day,
 * '3:04:12 PM', with the date on earlier days: 'Nov 20, 2026, 3:04 PM'.
 */
export function callTime(value: string, now: Date): string {
  const date = new Date(value)
  if (now.getTime() - date.getTime() < 60_000) return formatAgo(date, now)
  return formatDate(date) === formatDate(now)
    ? formatClock(date, 'second')
    : `${formatDate(date)}, ${formatClock(date)}`
}
