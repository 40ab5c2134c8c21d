import { createHmac, randomUUID } from 'node:crypto'
import type { Config } from '../../../config/config.ts'
import { AuthError } from '../errors.ts'

/** Sends a text message and returns the sender's message id, if any. Throws AuthError if the sender refuses it. */
export type SmsSender = (message: {
  phone: string
  text: string
  channel: 'sms' | 'whatsapp'
}) => Promise<string | null>

const TIMEOUT_MS = 5_000

/**
 * The operator's own sender: a POST signed by the Standard Webhooks scheme (webhook-id, webhook-timestamp,
 * webhook-signature) with {phone, text, channel}; it may answer {message_id}. Null without AUTH_SMS_URL.
 */
export function createSmsSender({ AUTH_SMS_URL, AUTH_SMS_SECRET }: Config): SmsSender | null {
  if (!AUTH_SMS_URL || !AUTH_SMS_SECRET) return null
  const key = Buffer.from(AUTH_SMS_SECRET.replace(/^whsec_/, ''), 'base64')
  return async ({ phone, text, channel }) => {
    const id = `msg_${randomUUID()}`
    const timestamp = String(Math.floor(Date.now() / 1000))
    const body = JSON.stringify({ phone: `+${phone}`, text, channel })
    const signature = createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')
    try {
      const response = await fetch(AUTH_SMS_URL, {
        method: 'POST',
        body,
        headers: {
          'content-type': 'application/json',
          'webhook-id': id,
          'webhook-timestamp': timestamp,
          'webhook-signature': `v1,${signature}`,
        },
        redirect: 'error',
        signal: AbortSignal.timeout(TIMEOUT_MS),
      })
      if (!response.ok) throw new Error(`the sender answered ${response.status}`)
      const answer: unknown = await response.json().catch(() => null)
      const messageId = (answer as { message_id?: unknown } | null)?.message_id
      return typeof messageId === 'string' ? messageId.slice(0, 200) : null
    } catch (cause) {
      throw new AuthError(422, 'sms_send_failed', 'Error sending sms: the sender did not take the message', { cause })
    }
  }
}
