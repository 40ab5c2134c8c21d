import type { FastifyInstance } from 'fastify'
import { routes } from '#contract/routes.ts'
import type { Deps } from '../../deps.ts'
import { serve } from '../../http/envelope.ts'
import { acceptInvitation, previewInvitation } from './accept.ts'
import { inviteMember, resendInvitation, revokeInvitation } from './invite.ts'
import { changeRole, leaveTeam, readTeam, removeMember, transferOwnership } from './members.ts'

/** The members of a workspace and the invitations to it. */
export function registerTeam(app: FastifyInstance, deps: Deps): void {
  serve(app, deps, routes.getTeam, ({ ctx }) => readTeam(ctx))
  serve(app, deps, routes.inviteMember, async ({ ctx, input }) => ({ invitation: await inviteMember(ctx, input.body) }))
  serve(app, deps, routes.resendInvitation, async ({ ctx, input }) => ({
    invitation: await resendInvitation(ctx, input.params.id),
  }))
  serve(app, deps, routes.revokeInvitation, async ({ ctx, input }) => {
    await revokeInvitation(ctx, input.params.id)
    return { id: input.params.id, revoked: true as const }
  })
  serve(app, deps, routes.previewInvitation, async ({ ctx, input }) => ({
    invitation: await previewInvitation(ctx.deps, input.body.token),
  }))
  serve(app, deps, routes.acceptInvitation, async ({ ctx, input }) => ({
    workspace: await acceptInvitation(ctx, input.body.token),
  }))
  serve(app, deps, routes.changeRole, async ({ ctx, input }) => {
    const { member, keysSeen } = await changeRole(ctx, input.params.id, input.body.role)
    return { member, keys_seen: keysSeen }
  })
  serve(app, deps, routes.removeMember, async ({ ctx, input: { params } }) => ({
    user_id: params.id,
    removed: true as const,
    keys_seen: await removeMember(ctx, params.id),
  }))
  serve(app, deps, routes.leaveTeam, async ({ ctx }) => {
    await leaveTeam(ctx)
    return { left: true as const }
  })
  serve(app, deps, routes.transferOwnership, ({ ctx, input }) => transferOwnership(ctx, input.body.userId))
}
