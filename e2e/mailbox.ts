import { expect } from '@playwright/test'

interface Mail {
  id: string
  subject: string
  text: string
  html: string
}

/**
 * The newest email to an address in the sandbox mailbox, once `count` have arrived. Emails overtake each other: name the
 * subject where an address gets several.
 */
export async function readMail(
  baseURL: string,
  to: string,
  count = 1,
  subject = '',
): Promise<Mail & { code: string; link: string }> {
  let mails: Mail[] = []
  await expect
    .poll(async () => {
      const answer = await fetch(`${baseURL}/sandbox/mail/messages?to=${encodeURIComponent(to)}`)
      const { messages }: { messages: Mail[] } = await answer.json()
      mails = messages.filter((mail) => mail.subject.includes(subject))
      return mails.length
    })
    .toBeGreaterThanOrEqual(count)
  const mail = mails[0]!
  return {
    ...mail,
    code: /^\d{6}$/m.exec(mail.text)?.[0] ?? '',
    link: /https?:\/\/\S+\/auth\/v1\/verify\S+/.exec(mail.text)?.[0] ?? '',
  }
}
