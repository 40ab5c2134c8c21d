import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { type Approval, type Client, query, registerAuthorization, verifierMatches } from './authorization.ts'
import { avatarUrl } from './avatar.ts'
import { createShortLived } from './short-lived.ts'

const CODE_MS = 600_000
const TOKEN_MS = 8 * 3_600_000
const DOCS = 'https://docs.github.com/apps/managing-oauth-apps/troubleshooting-oauth-app-access-token-request-errors'

export interface GithubOptions {
  baseUrl: string
  client: Client
  /** Whether callbacks carry `iss`: GitHub has sent it at some times and not at others. */
  sendsIssuer: boolean
}

interface Grant {
  approval: Approval
  login: string
}

/** GitHub's OAuth apps and the two API calls that sign-in needs, with GitHub's quirks, for sample people. */
export async function registerGithub(
  scope: FastifyInstance,
  { baseUrl, client, sendsIssuer }: GithubOptions,
): Promise<void> {
  const codes = createShortLived<Approval>(CODE_MS)
  const tokens = createShortLived<Grant>(TOKEN_MS)
  const signIns = new Map<string, number>()
  const issuer: Record<string, string> = sendsIssuer ? { iss: `${baseUrl}/login/oauth` } : {}

  registerAuthorization(scope, {
    provider: 'github',
    label: 'GitHub',
    authorizePath: '/login/oauth/authorize',
    client,
    challengeMethods: ['S256'],
    onWrongRedirectUri: 'registered callback',
    approve: (approval) => ({ code: codes.add(approval), ...issuer }),
    refuse: (error, error_description) => ({
      error,
      error_description,
      error_uri: `${DOCS}#${error.replaceAll('_', '-')}`,
      ...issuer,
    }),
  })

  scope.post('/login/oauth/access_token', async (request, reply) => {
    const form = new URLSearchParams(String(request.body ?? ''))
    if (form.get('client_id') !== client.id || form.get('client_secret') !== client.secret) {
      return refuse('incorrect_client_credentials', 'The client_id and/or client_secret passed are incorrect.')
    }
    const approval = codes.take(form.get('code') ?? '')
    if (!approval || !verifierMatches(approval.request, form.get('code_verifier'))) {
      return refuse('bad_verification_code', 'The code passed is incorrect or expired.')
    }
    const redirectUri = form.get('redirect_uri')
    if (redirectUri !== null && redirectUri !== approval.request.redirectUri) {
      return refuse(
        'redirect_uri_mismatch',
        'The redirect_uri MUST match the registered callback URL for this application.',
      )
    }
    const access_token = tokens.add({ approval, login: nextLogin(approval) }, 'gho_')
    return negotiate(request, reply, { access_token, scope: approval.request.scopes.join(','), token_type: 'bearer' })

    // GitHub also sends refusals with status 200.
    function refuse(error: string, error_description: string): FastifyReply {
      return negotiate(request, reply, { error, error_description, error_uri: `${DOCS}#${error.replaceAll('_', '-')}` })
    }
  })

  function nextLogin({ person }: Approval): string {
    const { logins } = person.github
    const before = signIns.get(person.id) ?? 0
    signIns.set(person.id, before + 1)
    return logins[Math.min(before, logins.length - 1)]!
  }

  scope.get('/api/v3/user', async (request, reply) => {
    const grant = authorized(request, reply)
    if (!grant) return reply
    const { person } = grant.approval
    return {
      login: grant.login,
      id: person.github.id,
      type: 'User',
      name: person.name,
      email: null,
      avatar_url: avatarUrl(baseUrl, person.name),
      html_url: `${baseUrl}/${grant.login}`,
    }
  })

  scope.get('/api/v3/user/emails', async (request, reply) => {
    const grant = authorized(request, reply)
    if (!grant) return reply
    const { emails } = grant.approval.person.github
    const allowed = grant.approval.request.scopes.some((name) => name === 'user' || name === 'user:email')
    if (!allowed || emails === null) return apiError(reply, 404, 'Not Found')
    return emails.slice(0, Number(query(request).get('per_page')) || 30)
  })

  function authorized(request: FastifyRequest, reply: FastifyReply): Grant | null {
    if (!request.headers['user-agent']) {
      reply
        .code(403)
        .type('text/plain')
        .send('Request forbidden by administrative rules. Please make sure your request has a User-Agent header.')
      return null
    }
    const grant = tokens.get(/^(?:bearer|token) (.+)$/i.exec(request.headers.authorization ?? '')?.[1] ?? '')
    if (grant) {
      reply.header('x-oauth-scopes', grant.approval.request.scopes.join(', '))
      return grant
    }
    apiError(reply, 401, 'Bad credentials')
    return null
  }
}

/** Form-encoded unless the client's Accept header asks for JSON or XML. */
function negotiate(request: FastifyRequest, reply: FastifyReply, fields: Record<string, string>): FastifyReply {
  const accept = request.headers.accept ?? ''
  if (accept.includes('json')) return reply.send(fields)
  if (accept.includes('xml')) {
    const elements = Object.entries(fields).map(
      ([name, value]) => `<${name}>${value.replaceAll('&', '&amp;').replaceAll('<', '&lt;')}</${name}>`,
    )
    return reply.type('application/xml').send(`<OAuth>${elements.join('')}</OAuth>`)
  }
  return reply.type('application/x-www-form-urlencoded; charset=utf-8').send(new URLSearchParams(fields).toString())
}

function apiError(reply: FastifyReply, status: number, message: string): FastifyReply {
  return reply.code(status).send({ message, documentation_url: 'https://docs.github.com/rest', status: String(status) })
}
