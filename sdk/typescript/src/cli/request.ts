import { FinmeterError, lost, readProblem } from '../errors.ts'
import { CliError } from './exit-codes.ts'

const TIMEOUT_MS = 30_000

/** One request. Throws FinmeterError if there is no answer. */
export async function request(url: string, init: RequestInit = {}): Promise<Response> {
  try {
    return await fetch(url, { signal: AbortSignal.timeout(TIMEOUT_MS), redirect: 'error', ...init })
  } catch (error) {
    throw lost('connection_failed', `${new URL(url).origin} did not answer.`, error)
  }
}

/** The `data` of an answer of the product API. Throws FinmeterError. */
export async function productApi<T>(
  base: string,
  token: string,
  method: string,
  path: string,
  body?: object,
): Promise<T> {
  const response = await request(base + path, {
    method,
    headers: { authorization: `Bearer ${token}`, ...(body && { 'content-type': 'application/json' }) },
    ...(body && { body: JSON.stringify(body) }),
  })
  const answer = (await response.json().catch(() => null)) as { data?: T; error?: string; code?: string } | null
  if (!response.ok)
    throw new FinmeterError(
      {
        code: answer?.code ?? `http_${response.status}`,
        detail: answer?.error ?? `The server answered ${response.status}.`,
      },
      response.status,
    )
  if (answer?.data === undefined) throw notFinmeter(base)
  return answer.data
}

/** A text that anybody may read. Throws FinmeterError. */
export async function readText(url: string, accept: string): Promise<string> {
  const response = await request(url, { headers: { accept } })
  if (!response.ok) throw await readProblem(response)
  return response.text()
}

export const notFinmeter = (base: string): CliError =>
  new CliError('unavailable', `There is no Finmeter server at ${base}.`, 'Check --url and FINMETER_URL.')
