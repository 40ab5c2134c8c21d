import type { AuthServer } from './auth-server.ts'

export interface Answer {
  status: number
  headers: Headers
  text: string
  /** Tests look into it as an outsider would. */
  // biome-ignore lint/suspicious/noExplicitAny: an answer is unknown until the test has checked it
  body: any
}

interface Call {
  body?: unknown
  token?: string | undefined
  headers?: Record<string, string>
}

/** One request to /auth/v1, as a client of the current API version. A string body is sent as it is. */
export async function call(
  server: Pick<AuthServer, 'url'>,
  method: string,
  path: string,
  { body, token, headers }: Call = {},
): Promise<Answer> {
  const response = await fetch(`${server.url}/auth/v1${path}`, {
    method,
    redirect: 'manual',
    headers: {
      'x-supabase-api-version': '2024-01-01',
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...(token && { authorization: `Bearer ${token}` }),
      ...headers,
    },
    ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  })
  const text = await response.text()
  const json = response.headers.get('content-type')?.includes('json')
  return { status: response.status, headers: response.headers, text, body: json ? JSON.parse(text) : undefined }
}

/** What an error answer says, as one text: status, code, message. */
export const refusal = (answer: Answer): string => `${refusalCode(answer)}: ${answer.body?.message}`

/** Its status and code alone, where the message is of the protocol's library or of no interest. */
export const refusalCode = ({ status, body }: Answer): string => `${status} ${body?.code}`
