import { randomUUID } from 'node:crypto'
import type { AuthServer } from './auth-server.ts'
import { call } from './call.ts'
import { readCodeMail } from './mail.ts'

export const newEmail = (): string => `${randomUUID().slice(0, 8)}@example.com`

export interface Registered {
  email: string
  password: string
  access_token: string
  refresh_token: string
  user: { id: string }
}

/** A confirmed person with a password, signed in by the code of their mail. */
export async function registerByEmail(
  server: AuthServer,
  email = newEmail(),
  password = 'correct horse',
): Promise<Registered> {
  await call(server, 'POST', '/signup', { body: { email, password } })
  const { code } = await readCodeMail(server, email)
  const { body } = await call(server, 'POST', '/verify', { body: { type: 'signup', email, token: code } })
  return { email, password, ...body }
}
