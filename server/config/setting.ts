import { z } from 'zod'

/** One environment variable: its rule, what it does, how to get a valid value, a sample. */
export interface Setting {
  schema: z.ZodType
  about: string
  example?: string
  hint: string
}

export const setting = <S extends z.ZodType>(schema: S, about: string, hint: string, example?: string) => ({
  schema,
  about,
  hint,
  example,
})

/** 0 means any free port. */
export const port = z.coerce.number().int().min(0).max(65535)
export const flag = z.enum(['on', 'off'])
export const url = z.url({ protocol: /^https?$/ }).transform((text) => text.replace(/\/+$/, ''))
