import type { Role } from '#contract/account.ts'

export const roleNames: Record<Role, string> = { owner: 'Owner', admin: 'Admin', member: 'Member' }
