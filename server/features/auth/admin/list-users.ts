import type { FastifyReply, FastifyRequest } from 'fastify'
import type { AuthDeps } from '../deps.ts'
import { invalid } from '../errors.ts'
import { query } from '../request-input.ts'
import { readUsers } from '../users/user-json.ts'

const PER_PAGE = 50
const MOST_PER_PAGE = 1000

/** GET /admin/users: a page of all users, newest first, with links to the next and the last page. */
export async function listUsers(deps: AuthDeps, request: FastifyRequest, reply: FastifyReply): Promise<object> {
  const parameters = query(request)
  const page = wholeNumber(parameters.get('page'), 1)
  const perPage = Math.min(wholeNumber(parameters.get('per_page'), PER_PAGE), MOST_PER_PAGE)
  const { total } = await deps.db.kysely
    .selectFrom('auth.users')
    .select((select) => select.fn.countAll<number>().as('total'))
    .where('deleted_at', 'is', null)
    .executeTakeFirstOrThrow()
  const last = Math.max(1, Math.ceil(total / perPage))
  const link = (to: number, rel: string): string => {
    const url = new URL(`${deps.config.PUBLIC_URL}/auth/v1/admin/users`)
    url.search = new URLSearchParams({ page: String(to), per_page: String(perPage) }).toString()
    return `<${url}>; rel="${rel}"`
  }
  reply.header('x-total-count', String(total))
  reply.header('link', [...(page < last ? [link(page + 1, 'next')] : []), link(last, 'last')].join(', '))
  const users = await readUsers(deps.db.kysely, { limit: perPage, offset: (page - 1) * perPage })
  return { users, aud: 'authenticated' }
}

function wholeNumber(text: string | null, otherwise: number): number {
  if (text === null || text === '') return otherwise
  if (!/^\d{1,9}$/.test(text) || Number(text) < 1)
    throw invalid('Bad Pagination Parameters: expected whole numbers above 0')
  return Number(text)
}
