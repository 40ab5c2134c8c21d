/**
 * Matches a scheme, `www.`, an `@`, or words joined by a dot like a domain name, including the other characters that
 * browsers treat as dots.
 */
const ADDRESS = /https?:|:\/\/|www[.。．｡]|@|[\p{L}\p{N}-]+[.。．｡]\p{L}{2,}/iu

/** Whether a name contains a web or email address, or something that mail programs would turn into a link. */
export const namesAddress = (name: string): boolean => ADDRESS.test(name)

const MOST_CHARACTERS = 60

/**
 * A person's name for an email to somebody else: one line of visible characters, cut if long. Null if there is none or it
 * contains an address: names are free text, and our emails must not carry anybody's links.
 */
export function nameInMail(name: string | null): string | null {
  if (name === null || namesAddress(name)) return null
  const plain = name.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, '').trim()
  return [...plain].slice(0, MOST_CHARACTERS).join('') || null
}
