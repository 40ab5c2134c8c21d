import { vi } from 'vitest'
import type { AuthServer } from './auth-server.ts'

export interface CodeMail {
  subject: string
  code: string
  /** The link, whole; empty where the mail has none. */
  link: string
  /** Its token. */
  token: string
}

/** The newest mail to `to`, once `count` have arrived. */
export async function readCodeMail({ mailbox }: Pick<AuthServer, 'mailbox'>, to: string, count = 1): Promise<CodeMail> {
  const mails = await vi.waitUntil(
    () => {
      const found = mailbox?.list(to) ?? []
      return found.length >= count && found
    },
    { timeout: 120_000, interval: 20 },
  )
  const { subject, text } = mails[0]!
  const link = /https?:\/\/\S+\/auth\/v1\/verify\S+/.exec(text)?.[0] ?? ''
  return {
    subject,
    code: /^\d{6}$/m.exec(text)?.[0] ?? '',
    link,
    token: link ? (new URL(link).searchParams.get('token') ?? '') : '',
  }
}
