import { createHash } from 'node:crypto'

export interface GithubEmail {
  email: string
  primary: boolean
  verified: boolean
  visibility: 'public' | 'private' | null
}

/** Somebody who can sign in, as each provider knows them. */
export interface Person {
  id: string
  name: string
  /** What is particular about them, for the consent page. */
  about: string
  google: { sub: string; email: string | null; emailVerified: boolean }
  /** `logins`: the one of the first sign-in, then the later ones. `emails` null: the person withholds them (404). */
  github: { id: number; logins: [string, ...string[]]; emails: GithubEmail[] | null }
}

const address = (email: string, verified: boolean, primary = true): GithubEmail => ({
  email,
  primary,
  verified,
  visibility: primary ? 'private' : null,
})

/** The first one is preselected. */
export const samplePeople: [Person, ...Person[]] = [
  {
    id: 'ada',
    name: 'Ada Moreau',
    about: 'Verified e-mail, another one at each provider',
    google: { sub: '100000000000000000001', email: 'ada.moreau@example.com', emailVerified: true },
    github: { id: 9_000_001, logins: ['ada-moreau'], emails: [address('ada@example.com', true)] },
  },
  {
    id: 'eli',
    name: 'Eli Sato',
    about: 'The same verified e-mail at Google and GitHub',
    google: { sub: '100000000000000000002', email: 'eli@example.com', emailVerified: true },
    github: { id: 9_000_002, logins: ['elisato'], emails: [address('eli@example.com', true)] },
  },
  {
    id: 'dana',
    name: 'Dana Okafor',
    about: 'Two verified e-mails; the primary one counts',
    google: { sub: '100000000000000000003', email: 'dana@example.com', emailVerified: true },
    github: {
      id: 9_000_003,
      logins: ['dana-okafor'],
      emails: [
        address('ada@example.com', true, false),
        address('dana@example.com', true),
        address('9000003+dana-okafor@users.noreply.github.com', true, false),
      ],
    },
  },
  {
    id: 'finn',
    name: 'Finn Reyes',
    about: 'Renames the GitHub login after the first sign-in',
    google: { sub: '100000000000000000004', email: 'finn@example.com', emailVerified: true },
    github: { id: 9_000_004, logins: ['finn-reyes', 'finn-renamed'], emails: [address('finn@example.com', true)] },
  },
  {
    id: 'bo',
    name: 'Bo Lindqvist',
    about: 'E-mail not verified: sign-in is refused',
    google: { sub: '100000000000000000005', email: 'bo@example.com', emailVerified: false },
    github: { id: 9_000_005, logins: ['bolindqvist'], emails: [address('bo@example.com', false)] },
  },
  {
    id: 'cleo',
    name: 'Cleo Marsh',
    about: 'Gives no e-mail: sign-in is refused',
    google: { sub: '100000000000000000006', email: null, emailVerified: false },
    github: { id: 9_000_006, logins: ['cleo'], emails: null },
  },
]

/** What the person's address is at this provider, as the consent page shows it. */
export function emailAt(person: Person, provider: 'google' | 'github'): string | null {
  if (provider === 'google') return person.google.email
  return person.github.emails?.find((entry) => entry.primary)?.email ?? null
}

/** Whoever has this address: a sample person, or one made up from it, the same each time. Null: not an address. */
export function personOf(email: string, provider: 'google' | 'github'): Person | null {
  const lower = email.trim().toLowerCase()
  if (lower.length > 254 || !/^[^\s@<>"]+@[^\s@<>"]+$/.test(lower)) return null
  return samplePeople.find((person) => emailAt(person, provider) === lower) ?? madeUp(lower)
}

function madeUp(email: string): Person {
  const local = email.split('@', 1)[0]!
  const digits = createHash('sha256').update(email).digest()
  const login =
    local
      .replaceAll(/[^a-z0-9]+/g, '-')
      .replaceAll(/^-|-$/g, '')
      .slice(0, 39) || 'someone'
  const name = login.replaceAll(
    /(^|-)([a-z])/g,
    (_all, gap: string, letter: string) => (gap ? ' ' : '') + letter.toUpperCase(),
  )
  return {
    id: email,
    name,
    about: '',
    google: { sub: `1${digits.readBigUInt64BE().toString().padStart(20, '0')}`, email, emailVerified: true },
    github: { id: 10_000_000 + digits.readUIntBE(8, 5), logins: [login], emails: [address(email, true)] },
  }
}

/** The address that the page shows first, when the client's hint names a sample person. */
export function hintedPerson(hint: string, provider: 'google' | 'github'): Person | undefined {
  return samplePeople.find(
    (person) => emailAt(person, provider) === hint.toLowerCase() || person.github.logins.includes(hint),
  )
}
