const format = new Intl.DateTimeFormat('en-US', { dateStyle: 'medium', timeZone: 'UTC' })

/** A day as on the pages, with its zone: 'Nov 26, 2026 (UTC)'. */
export const dateInMail = (time: string | Date): string => `${format.format(new Date(time))} (UTC)`
