/** How others see a person: the full name, else the email address, else null. */
export const personName = (person: { full_name: string | null; email: string | null }): string | null =>
  person.full_name || person.email || null

/** How members see a workspace that is somebody's Personal one. */
export const workspaceNameOf = (owner: { full_name: string | null; email: string | null }): string =>
  `${personName(owner) ?? 'A user'}’s workspace`
