import type { FastifyInstance } from 'fastify'
import { AuthError } from './errors.ts'

/** Parts of the protocol that this service does not offer, with the errors of a server where they are disabled. */
export function registerAbsent(scope: FastifyInstance): void {
  const samlOff = () => {
    throw new AuthError(404, 'saml_provider_disabled', 'SAML 2.0 is disabled')
  }
  scope.post('/sso', samlOff)
  scope.get('/sso/saml/metadata', samlOff)
  scope.post('/sso/saml/acs', samlOff)
}
