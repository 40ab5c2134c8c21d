import type { Queryable } from '../../db/database.ts'
import { phoneOff } from './address.ts'
import { noteSecurityEvent } from './audit.ts'
import type { AuthDeps } from './deps.ts'
import { issueToken, type NewToken } from './one-time-tokens.ts'

/** Makes a code and sends it by text message; returns the sender's id of the message. Throws when nobody can send it. */
export async function textCode(
  tx: Queryable,
  { sms, secrets }: AuthDeps,
  token: NewToken,
  channel: 'sms' | 'whatsapp' = 'sms',
): Promise<{ message_id?: string }> {
  if (!sms) throw phoneOff(400, 'Unsupported phone provider')
  const { code } = await issueToken(tx, secrets, token)
  const messageId = await sms({ phone: token.relatesTo, text: `Your code is ${code}`, channel })
  await noteSecurityEvent(tx, token.userId, 'auth.code_sent', token.purpose)
  return messageId ? { message_id: messageId } : {}
}

export const channelOf = (given: string | undefined): 'sms' | 'whatsapp' => (given === 'whatsapp' ? 'whatsapp' : 'sms')
