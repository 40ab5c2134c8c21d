import type { FastifyRequest } from 'fastify'
import type { AuthDeps } from '../deps.ts'
import { query } from '../request-input.ts'

/** Where a request wants its link or sign-in to lead: the first allowed of parameter, header and Referer, else the site. */
export function redirectTarget(
  { redirects }: Pick<AuthDeps, 'redirects'>,
  request: FastifyRequest,
  form?: URLSearchParams,
): string {
  const header = request.headers.redirect_to
  return redirects.choose(
    query(request).get('redirect_to'),
    Array.isArray(header) ? header[0] : header,
    form?.get('redirect_to'),
    request.headers.referer,
  )
}
