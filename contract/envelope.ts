import { z } from 'zod'

/** A success of `/api` and `/billing`. A failure is `{success: false, error, code}` with the true HTTP status. */
export const success = <S extends z.ZodType>(data: S) => z.object({ success: z.literal(true), data })
