/** How a person is called: the full name, else what stands before the @ of the e-mail address, else 'User'. */
export function displayName({ fullName, email }: { fullName: string | null; email: string | null }): string {
  return fullName?.trim() || email?.split('@')[0]?.trim() || 'User'
}
