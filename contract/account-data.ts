import { z } from 'zod'

/** Query of the audit log. `cursor` is the `nextCursor` of the previous page. `area` is a kind of action. */
export const auditQuery = z.strictObject({
  limit: z.coerce.number().int().min(1).max(100).default(50),
  cursor: z
    .string()
    .regex(/^\d{1,15}$/, 'must be the nextCursor of a previous page; omit it for the first page')
    .optional(),
  area: z
    .enum(
      ['key', 'member', 'invitation', 'auth', 'plan', 'preferences', 'account'],
      'must be key, member, invitation, auth, plan, preferences or account',
    )
    .optional(),
})

export type AuditArea = NonNullable<z.infer<typeof auditQuery>['area']>

/** One line of the audit log. `actor` is the person or program, if still known. */
export const auditEntry = z.object({
  id: z.int(),
  time: z.iso.datetime(),
  actor: z.object({
    kind: z.enum(['user', 'key', 'system']),
    name: z.string(),
    avatar_url: z.string().nullable(),
    you: z.boolean(),
  }),
  /** thing.happened */
  action: z.string(),
  /** The person or thing that the action changed, if it has a name. */
  target: z.string().nullable(),
  detail: z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()])),
})
export type AuditEntry = z.infer<typeof auditEntry>

/** A copy of all data about the person and the workspaces that they own. */
export const dataExport = z.object({
  id: z.uuid(),
  status: z.enum(['pending', 'ready', 'failed']),
  requested_at: z.iso.datetime(),
  /** When the file will be deleted; null while there is no file. */
  expires_at: z.iso.datetime().nullable(),
  bytes: z.int().nullable(),
  /** A link that works for 15 minutes; every response has a fresh one. Null while there is no file. */
  download_url: z.url().nullable(),
})
export type DataExport = z.infer<typeof dataExport>

/** The words that a person types to delete their account. */
export const deletionRequest = z.strictObject({
  confirmation: z
    .string('is required: type delete my account')
    .refine((text) => text.trim().toLowerCase() === 'delete my account', 'must be the words: delete my account'),
})

/** The scheduled deletion, or null. It can be canceled until `due_at`. */
export const deletion = z.object({ requested_at: z.iso.datetime(), due_at: z.iso.datetime() }).nullable()
export type Deletion = z.infer<typeof deletion>
