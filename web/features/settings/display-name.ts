/** The user's display name: the full name, else the part of the email before the @, else 'User'. */
export function displayName({ fullName, email }: { fullName: string | null; email: string | null }): string {
  return fullName?.trim() || email?.split('@')[0]?.trim() || 'User'
}
