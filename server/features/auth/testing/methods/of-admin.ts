import { expect } from 'vitest'
import { newEmail } from '../register.ts'
import { type Method, type MethodScene, nowhere, user } from './scene.ts'

/** What a service key may do. */
export function methodsOfAdmin(scene: MethodScene): Record<string, Method> {
  const { member, registered, beginEnrollment } = scene
  return {
    'admin.createUser': {
      works: () => scene.admin.createUser({ email: newEmail() }),
      gives: user,
      fails: async () => scene.admin.createUser({ email: (await registered()).email }),
      as: 'email_exists',
    },
    'admin.listUsers': {
      works: () => scene.admin.listUsers({ page: 1, perPage: 1 }),
      gives: { users: [{ id: expect.any(String) }], aud: 'authenticated' },
      fails: () => scene.impostor.listUsers(),
      as: 'not_admin',
    },
    'admin.getUserById': {
      works: async () => scene.admin.getUserById((await registered()).id),
      gives: user,
      fails: () => scene.admin.getUserById(nowhere),
      as: 'user_not_found',
    },
    'admin.updateUserById': {
      works: async () => scene.admin.updateUserById((await registered()).id, { app_metadata: { plan: 'x' } }),
      gives: { user: { app_metadata: { plan: 'x' } } },
      fails: () => scene.admin.updateUserById(nowhere, {}),
      as: 'user_not_found',
    },
    'admin.deleteUser': {
      works: async () => scene.admin.deleteUser((await registered()).id),
      fails: () => scene.admin.deleteUser(nowhere),
      as: 'user_not_found',
    },
    'admin.inviteUserByEmail': {
      works: () => scene.admin.inviteUserByEmail(newEmail()),
      gives: { user: { invited_at: expect.any(String) } },
      fails: async () => scene.admin.inviteUserByEmail((await registered()).email),
      as: 'email_exists',
    },
    'admin.generateLink': {
      works: async () => scene.admin.generateLink({ type: 'recovery', email: (await registered()).email }),
      gives: {
        properties: { action_link: expect.stringContaining('/auth/v1/verify?'), verification_type: 'recovery' },
      },
      fails: () => scene.admin.generateLink({ type: 'recovery', email: newEmail() }),
      as: 'user_not_found',
    },
    'admin.signOut': {
      works: async () => {
        const { data } = await (await member()).getSession()
        return scene.admin.signOut(data.session!.access_token, 'local')
      },
      fails: () => scene.admin.signOut('x.y.z'),
      as: 'bad_jwt',
    },
    'admin.mfa.listFactors': {
      works: async () => {
        const client = await member()
        await beginEnrollment(client)
        return scene.admin.mfa.listFactors({ userId: (await client.getSession()).data.session!.user.id })
      },
      gives: { factors: [{ status: 'unverified', factor_type: 'totp' }] },
      fails: () => scene.admin.mfa.listFactors({ userId: nowhere }),
      as: 'user_not_found',
    },
    'admin.mfa.deleteFactor': {
      works: async () => {
        const client = await member()
        const { factorId } = await beginEnrollment(client)
        return scene.admin.mfa.deleteFactor({ id: factorId, userId: (await client.getSession()).data.session!.user.id })
      },
      gives: { data: { id: expect.any(String) } },
      fails: async () => scene.admin.mfa.deleteFactor({ id: nowhere, userId: (await registered()).id }),
      as: 'mfa_factor_not_found',
    },
  }
}
