import { z } from 'zod'
import { role } from './account.ts'

/** A member of the workspace. `user_id` is the same in every workspace. */
export const member = z.object({
  user_id: z.uuid(),
  full_name: z.string().nullable(),
  email: z.string(),
  avatar_url: z.string().nullable(),
  role,
  joined_at: z.iso.datetime(),
  /** The UTC day of the last visit; null if unknown. Only owner and admins see it. */
  seen_on: z.iso.date().nullable(),
  /** The caller. */
  you: z.boolean(),
})
export type Member = z.infer<typeof member>

/** Assignable roles: the owner changes by transfer only. */
export const givenRole = z.enum(['admin', 'member'], 'must be admin or member')
export type GivenRole = z.infer<typeof givenRole>

/** An invitation that was neither accepted nor revoked. */
export const invitation = z.object({
  id: z.uuid(),
  email: z.string(),
  role: givenRole,
  /** Name or email address of the inviter. */
  invited_by: z.string().nullable(),
  created_at: z.iso.datetime(),
  expires_at: z.iso.datetime(),
  expired: z.boolean(),
})
export type Invitation = z.infer<typeof invitation>

/** The owner first, then admins, then members, each by join date. Members do not see invitations. */
export const team = z.object({ members: z.array(member), invitations: z.array(invitation) })
export type Team = z.infer<typeof team>

const MAX_EMAIL_CHARACTERS = 254

export const newInvitation = z.strictObject({
  email: z
    .string('is required')
    .trim()
    .max(MAX_EMAIL_CHARACTERS, `must be at most ${MAX_EMAIL_CHARACTERS} characters`)
    .pipe(z.email('must be an email address such as ada@example.com'))
    .transform((text) => text.toLowerCase()),
  role: givenRole.default('member'),
})

export const roleChange = z.strictObject({ role: givenRole })

/** The API keys whose present values a person knows who no longer manages the workspace. They work until rotated. */
export const keysSeen = z.array(z.object({ id: z.uuid(), name: z.string() }))
export type KeysSeen = z.infer<typeof keysSeen>

/** `userId` of the member who becomes the owner. */
export const transfer = z.strictObject({ userId: z.uuid('must be the user_id of a member') })

/** The part of the emailed link after its #. */
export const invitationToken = z.strictObject({ token: z.string('is required').min(1).max(200) })

/** What the link's page shows before acceptance, to anyone with the link. */
export const invitationPreview = z.object({
  workspace: z.string(),
  email: z.string(),
  role: givenRole,
  invited_by: z.string().nullable(),
  expires_at: z.iso.datetime(),
})
export type InvitationPreview = z.infer<typeof invitationPreview>
