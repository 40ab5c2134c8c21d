import { z } from 'zod'

/** Every answer of `/api` and `/billing`: the payload in `data`, or a text and a code. */
export const success = <S extends z.ZodType>(data: S) => z.object({ success: z.literal(true), data })

export const failure = z.object({ success: z.literal(false), error: z.string(), code: z.string() })

export type Failure = z.infer<typeof failure>
