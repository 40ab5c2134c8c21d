import { z } from 'zod'

/** Encryption purpose for queued mail. */
export const MAIL_PURPOSE = 'mail_outbox.message'

/** One email; `server/mail/write-mail.ts` writes `text` and `html` with the same content. */
export const mailSchema = z.object({
  /** One plain address; lists, names and quoted forms are rejected. */
  to: z.email({ pattern: z.regexes.html5Email }).max(255),
  // A line break would end the header.
  subject: z
    .string()
    .max(500)
    .regex(/^[^\r\n]*$/),
  /** Absent in mails that an earlier release queued. */
  from: z.object({ name: z.string(), address: z.string() }).optional(),
  text: z.string(),
  html: z.string(),
})

export type Mail = z.output<typeof mailSchema>
