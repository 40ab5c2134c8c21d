import type { FastifyInstance } from 'fastify'
import { AuthError } from './errors.ts'

/** What the protocol has and this service does not offer, in the words of a server that has it switched off. */
export function registerAbsent(scope: FastifyInstance): void {
  scope.post('/sso', () => {
    throw new AuthError(404, 'saml_provider_disabled', 'SAML 2.0 is disabled')
  })
}
