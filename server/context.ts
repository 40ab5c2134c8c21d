import type { Deps } from './deps.ts'

/** The actor. Every operation on behalf of somebody takes one. Ids of accounts and keys are database ids. */
export type Actor =
  | {
      kind: 'user'
      userId: string
      email: string
      sessionId: string
      accountId: number
      /** The bucket of the account's metering tables. */
      bucket: number
      role: 'owner' | 'admin' | 'member'
      /** A program with an OAuth token acts for the person; `sessionId` is its grant. It sees no existing key in clear. */
      isProgram?: true
      /** An operator views the account of the person, read only. They see no existing key in clear. */
      isView?: true
    }
  | { kind: 'key'; keyId: number; keyPublicId: string; accountId: number }
  | { kind: 'system'; name: string }

export interface RequestContext<A extends Actor = Actor> {
  deps: Deps
  actor: A
  requestId: string
  /** The caller's address, after trusted proxies. */
  ip: string
}

export type UserActor = Extract<Actor, { kind: 'user' }>
export type UserContext = RequestContext<UserActor>

/** The actor as the audit log names it. */
export function actorName(actor: Actor): string {
  if (actor.kind === 'user') return `user:${actor.userId}`
  return actor.kind === 'key' ? `key:${actor.keyPublicId}` : `system:${actor.name}`
}
