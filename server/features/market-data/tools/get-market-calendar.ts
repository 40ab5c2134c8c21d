import { z } from 'zod'
import { AppError } from '../../../http/errors.ts'
import { type Cell, defineTool, type Table, tableOutput } from '../../tools/define-tool.ts'
import { exchanges } from '../calendar/exchanges.ts'
import { closedBecause, nextSession, sessionOf } from '../calendar/sessions.ts'
import { localDay } from '../calendar/zone.ts'
import { civil, dayText, parseDay } from '../dates.ts'
import { dateInput, instantInput } from './inputs.ts'

const MAX_DAYS = 400
const mics = exchanges.map(({ mic }) => mic) as [string, ...string[]]
const instant = (ms: number): string => `${new Date(ms).toISOString().slice(0, 19)}Z`

export const getMarketCalendar = defineTool({
  name: 'get_market_calendar',
  title: 'Exchange calendar',
  description:
    'Whether an exchange is open on a date (default today) or on each day from `from` to `to`, why not, opening and closing times in UTC, and early closes. meta has whether it is open now, and the next session. Regular hours; closures announced after this release are not included. Free.',
  input: z.strictObject({
    mic: z.enum(mics).describe('XNYS New York, XNAS Nasdaq, XLON London, XETR Xetra, XTKS Tokyo'),
    date: dateInput.optional().describe('Single day'),
    from: dateInput.optional().describe('First day of a range'),
    to: dateInput.optional().describe('Last day'),
    at: instantInput.optional().describe('Instant for open_now; default now'),
  }),
  output: tableOutput,
  kind: 'table',
  whole: 'One row per day, at most 400; continue with the next `from`.',
  credits: { kind: 'fixed', credits: 0 },
  example: { mic: 'XNYS', from: '2026-12-21', to: '2026-12-31' },
  rest: { method: 'GET', path: '/v1/calendar/{mic}' },
  mcp: { presets: ['prices'] },
  run({ mic, date, from, to, at }): Table {
    const exchange = exchanges.find((one) => one.mic === mic)!
    if (date !== undefined && (from !== undefined || to !== undefined))
      throw new AppError('invalid_parameter', 'Send either date, or from and to.', { param: 'date' })
    const nowMs = at === undefined ? Date.now() : Date.parse(at)
    const today = localDay(exchange.zone, nowMs)
    const first = date ? parseDay(date) : from ? parseDay(from) : today
    const last = date ? first : to ? parseDay(to) : from ? first + 30 : today
    checkDays(first, last, exchange.years, mic)
    const rows: Cell[][] = []
    for (let day = first; day <= last; day++) {
      const session = sessionOf(exchange, day)
      rows.push(
        session
          ? [dayText(day), true, instant(session.openMs), instant(session.closeMs), session.early, null]
          : [dayText(day), false, null, null, false, closedBecause(exchange, day)],
      )
    }
    const current = sessionOf(exchange, today)
    const next = nextSession(exchange, nowMs)
    return {
      columns: ['date', 'open', 'opens_at', 'closes_at', 'early_close', 'reason'],
      rows,
      meta: {
        mic,
        name: exchange.name,
        timezone: exchange.zone,
        at: instant(nowMs),
        open_now: current !== null && nowMs >= current.openMs && nowMs < current.closeMs,
        next_open: instant(next.openMs),
        row_count: rows.length,
        warnings: mic === 'XTKS' ? ['The lunch break from 11:30 to 12:30 is not subtracted.'] : [],
      },
      next_cursor: null,
    }
  },
})

function checkDays(first: number, last: number, [firstYear, lastYear]: [number, number], mic: string): void {
  const refuse = (text: string, param: string) => new AppError('invalid_parameter', text, { param })
  if (last < first) throw refuse(`to (${dayText(last)}) is before from (${dayText(first)}).`, 'to')
  if (civil(first).year < firstYear || civil(last).year > lastYear)
    throw refuse(`The calendar of ${mic} is available from ${firstYear} to ${lastYear}.`, 'date')
  if (last - first >= MAX_DAYS) throw refuse(`At most ${MAX_DAYS} days in one answer.`, 'to')
}
