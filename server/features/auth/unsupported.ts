import type { FastifyInstance } from 'fastify'
import { AuthError } from './errors.ts'

/** What the protocol has and this service does not offer, in the words of a server that has it switched off. */
export function registerAbsent(scope: FastifyInstance): void {
  const samlOff = () => {
    throw new AuthError(404, 'saml_provider_disabled', 'SAML 2.0 is disabled')
  }
  scope.post('/sso', samlOff)
  scope.get('/sso/saml/metadata', samlOff)
  scope.post('/sso/saml/acs', samlOff)
}
