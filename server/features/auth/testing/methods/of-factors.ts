import { expect } from 'vitest'
import { type Method, type MethodScene, nowhere, user } from './scene.ts'

/** Second factors. */
export function methodsOfFactors(scene: MethodScene): Record<string, Method> {
  const { stranger, member, beginEnrollment } = scene
  return {
    'mfa.enroll': {
      works: async () => (await member()).mfa.enroll({ factorType: 'totp' }),
      gives: {
        type: 'totp',
        totp: { secret: expect.any(String), uri: expect.any(String), qr_code: expect.any(String) },
      },
      fails: async () => (await member()).mfa.enroll({ factorType: 'webauthn', friendlyName: 'key' }),
      as: 'mfa_webauthn_enroll_not_enabled',
    },
    'mfa.challenge': {
      works: async () => {
        const client = await member()
        return client.mfa.challenge({ factorId: (await beginEnrollment(client)).factorId })
      },
      gives: { id: expect.any(String), type: 'totp', expires_at: expect.any(Number) },
      fails: async () => (await member()).mfa.challenge({ factorId: nowhere }),
      as: 'mfa_factor_not_found',
    },
    'mfa.verify': {
      works: async () => {
        const client = await member()
        const { factorId, code } = await beginEnrollment(client)
        const { data } = await client.mfa.challenge({ factorId })
        return client.mfa.verify({ factorId, challengeId: data!.id, code })
      },
      gives: { access_token: expect.any(String), ...user },
      fails: async () => {
        const client = await member()
        const { factorId } = await beginEnrollment(client)
        const { data } = await client.mfa.challenge({ factorId })
        return client.mfa.verify({ factorId, challengeId: data!.id, code: 'abcdef' })
      },
      as: 'mfa_verification_failed',
    },
    'mfa.challengeAndVerify': {
      works: async () => {
        const client = await member()
        return client.mfa.challengeAndVerify(await beginEnrollment(client))
      },
      gives: { access_token: expect.any(String), ...user },
      fails: async () => (await member()).mfa.challengeAndVerify({ factorId: nowhere, code: '123456' }),
      as: 'mfa_factor_not_found',
    },
    'mfa.unenroll': {
      works: async () => {
        const client = await member()
        return client.mfa.unenroll(await beginEnrollment(client))
      },
      gives: { id: expect.any(String) },
      fails: async () => (await member()).mfa.unenroll({ factorId: nowhere }),
      as: 'mfa_factor_not_found',
    },
    'mfa.listFactors': {
      works: async () => {
        const client = await member()
        await client.mfa.challengeAndVerify(await beginEnrollment(client))
        return client.mfa.listFactors()
      },
      gives: { totp: [{ friendly_name: 'phone', status: 'verified' }] },
      fails: () => stranger().mfa.listFactors(),
      as: undefined,
    },
    'mfa.getAuthenticatorAssuranceLevel': {
      works: async () => {
        const client = await member()
        await client.mfa.challengeAndVerify(await beginEnrollment(client))
        return client.mfa.getAuthenticatorAssuranceLevel()
      },
      gives: { currentLevel: 'aal2', nextLevel: 'aal2' },
      fails: () => stranger().mfa.getAuthenticatorAssuranceLevel('x'),
      as: 'invalid_jwt',
    },
  }
}
