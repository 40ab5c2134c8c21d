import type { Queryable } from '../../../db/database.ts'
import { phoneOff } from '../address.ts'
import { noteSecurityEvent } from '../audit.ts'
import type { AuthDeps } from '../deps.ts'
import { issueToken, type NewToken, randomCode } from './one-time-tokens.ts'

/** A code that was sent to a phone. `answer` is the response to the client: the sender's message id, if any. */
export interface TextedCode {
  code: string
  answer: { message_id?: string }
}

/**
 * Sends a new code by text message. Call it before the transaction that stores the code, never in one: no lock waits for
 * the sender, and a refused message leaves no trace. Throws if no sender is configured.
 */
export async function textCode(
  { sms }: Pick<AuthDeps, 'sms'>,
  phone: string,
  channel: 'sms' | 'whatsapp' = 'sms',
): Promise<TextedCode> {
  if (!sms) throw phoneOff(400, 'Unsupported phone provider')
  const code = randomCode()
  const messageId = await sms({ phone, text: `Your code is ${code}`, channel })
  return { code, answer: messageId ? { message_id: messageId } : {} }
}

/** Stores a code that was sent, and records it in the audit log. */
export async function keepTextedCode(
  tx: Queryable,
  { secrets }: Pick<AuthDeps, 'secrets'>,
  token: Omit<NewToken, 'code'>,
  { code }: TextedCode,
): Promise<void> {
  await issueToken(tx, secrets, { ...token, code })
  await noteSecurityEvent(tx, token.userId, 'auth.code_sent', token.purpose)
}

export const channelOf = (given: string | undefined): 'sms' | 'whatsapp' => (given === 'whatsapp' ? 'whatsapp' : 'sms')
