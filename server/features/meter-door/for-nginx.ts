import type { HttpAnswer } from '../../http/answer.ts'

/** nginx passes on only these; for every other status its customer would see 500. */
const PASSED_ON = new Set([401, 403])

/**
 * A refusal as `auth_request` takes it: what it cannot pass on becomes 403, and the real status and the problem are in headers,
 * from which nginx makes the answer (deploy/gateways/nginx.conf).
 */
export function forNginx({ status, headers, body }: HttpAnswer): HttpAnswer & { body: string } {
  const problem = body as string
  return {
    status: PASSED_ON.has(status) ? status : 403,
    headers: { ...headers, 'finmeter-status': String(status), 'finmeter-problem': ascii(problem) },
    body: problem,
  }
}

/** JSON that a header can hold. */
const ascii = (json: string): string =>
  json.replaceAll(/[^\x20-\x7e]/g, (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`)
