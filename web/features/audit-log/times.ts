const fullDate = new Intl.DateTimeFormat('en-US', { dateStyle: 'full' })
const clock = new Intl.DateTimeFormat('en-US', { timeStyle: 'short' })

/** A local time of day, to the minute. */
export const formatTime = (time: string): string => clock.format(new Date(time))

/** A local day, `YYYY-MM-DD`, with its weekday. */
export const formatDay = (day: string): string => fullDate.format(new Date(`${day}T12:00`))

/** The local day of a time, `YYYY-MM-DD`. */
export const localDay = (time: Date): string =>
  [time.getFullYear(), time.getMonth() + 1, time.getDate()].map((part) => String(part).padStart(2, '0')).join('-')
