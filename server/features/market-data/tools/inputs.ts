import { z } from 'zod'
import { dayText, parseDay } from '../dates.ts'
import { adjusts } from '../manifest.ts'

const MAX_SYMBOL_LENGTH = 40

/** Shared inputs of several tools, with the same wording. */
export const symbolInput = z
  .string()
  .trim()
  .min(1, { error: 'a symbol such as AAPL is required' })
  .max(MAX_SYMBOL_LENGTH, { error: `a symbol has at most ${MAX_SYMBOL_LENGTH} characters` })

/** A valid date as text. Not z.iso.date: its pattern would cost every reader of the tool list 60 tokens per date. */
export const dateInput = z
  .string()
  .refine((text) => /^\d{4}-\d{2}-\d{2}$/.test(text) && dayText(parseDay(text)) === text, {
    error: 'expected a date such as 2015-06-08 (YYYY-MM-DD)',
  })
  .meta({ format: 'date' })

/** An instant as text, with its zone. */
export const instantInput = z
  .string()
  .refine(
    (text) =>
      /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:\d{2})$/.test(text) &&
      !Number.isNaN(Date.parse(text)),
    {
      error: 'expected an instant such as 2015-06-08T14:30:00Z',
    },
  )
  .meta({ format: 'date-time' })

/** `next_cursor` of the previous answer, sent with the same parameters. */
export const cursorInput = z.string().max(64).optional()

export const adjustInput = z.enum(adjusts)
