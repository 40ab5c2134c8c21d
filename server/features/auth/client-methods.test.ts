import { GoTrueAdminApi, GoTrueClient } from '@supabase/auth-js'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { methodsOfAdmin } from './testing/methods/of-admin.ts'
import { methodsOfClient } from './testing/methods/of-client.ts'
import { methodsOfFactors } from './testing/methods/of-factors.ts'
import { methodScene } from './testing/methods/scene.ts'

const scene = methodScene()
beforeAll(() => scene.start())
afterAll(() => scene.close())

const methods = { ...methodsOfClient(scene), ...methodsOfFactors(scene), ...methodsOfAdmin(scene) }

/** What has no call of its own, or calls what the reference leaves out. */
const NOT_OF_THE_PROTOCOL = [
  ...['constructor', 'initialize', 'onAuthStateChange', 'startAutoRefresh', 'stopAutoRefresh', 'dispose'],
  ...['isThrowOnErrorEnabled', 'jwks', 'jwks_cached_at', 'fetchJwk', 'linkIdentityOAuth', 'linkIdentityIdToken'],
  ...['signInWithEthereum', 'signInWithSolana', 'signInWithPasskey', 'registerPasskey'],
]

describe('the unmodified client', () => {
  it.each(Object.entries(methods))('%s works, and is refused in the protocol’s words', async (_name, method) => {
    const { works, gives, fails, as } = method
    if (works) {
      const good = await works()
      expect(good.error).toBeNull()
      if (gives) expect(good.data).toMatchObject(gives)
    }
    const bad = await fails()
    expect(bad.error).not.toBeNull()
    expect(bad.error?.code).toBe(as)
  })

  it('has no method that is left out above', () => {
    const own = Object.getOwnPropertyNames(GoTrueClient.prototype).filter((name) => !name.startsWith('_'))
    const ofAdmin = Object.getOwnPropertyNames(GoTrueAdminApi.prototype)
      .filter((name) => !name.startsWith('_') && name !== 'constructor')
      .map((name) => `admin.${name}`)
    const ofFactors = Object.keys(scene.stranger().mfa)
      .filter((name) => !['webauthn', 'recoveryCodes'].includes(name))
      .map((name) => `mfa.${name}`)
    const ofAdminFactors = Object.keys(scene.admin.mfa).map((name) => `admin.mfa.${name}`)
    const all = [
      ...own.filter((name) => !NOT_OF_THE_PROTOCOL.includes(name)),
      ...ofAdmin,
      ...ofFactors,
      ...ofAdminFactors,
    ]
    expect(Object.keys(methods).sort()).toEqual(all.sort())
  })
})
