const SHORTEST = 8

let common: Promise<Set<string>> | undefined

/**
 * Whether a password is one of the 18,000 commonest with at least eight characters, in any capitalization. The list is
 * two megabytes of memory, so it is loaded with the first new password.
 */
export async function isCommonPassword(password: string): Promise<boolean> {
  common ??= loadCommon()
  return (await common).has(password.toLowerCase())
}

async function loadCommon(): Promise<Set<string>> {
  const { dictionary } = await import('@zxcvbn-ts/language-common')
  return new Set((dictionary['passwords-common'] as string[]).filter(({ length }) => length >= SHORTEST))
}
