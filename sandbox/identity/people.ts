import { createHash } from 'node:crypto'

export interface GithubEmail {
  email: string
  primary: boolean
  verified: boolean
  visibility: 'public' | 'private' | null
}

/** A person who can sign in, with their account at each provider. */
export interface Person {
  id: string
  name: string
  /** What is special about this account, for the consent page. */
  about: string
  google: { sub: string; email: string | null; emailVerified: boolean }
  /** `logins`: the login at the first sign-in, then later ones. `emails` null: withheld (404). */
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
    about: 'Verified email, a different one at each provider',
    google: { sub: '100000000000000000001', email: 'ada.moreau@example.com', emailVerified: true },
    github: { id: 9_000_001, logins: ['ada-moreau'], emails: [address('ada@example.com', true)] },
  },
  {
    id: 'eli',
    name: 'Eli Sato',
    about: 'The same verified email at Google and GitHub',
    google: { sub: '100000000000000000002', email: 'eli@example.com', emailVerified: true },
    github: { id: 9_000_002, logins: ['elisato'], emails: [address('eli@example.com', true)] },
  },
  {
    id: 'dana',
    name: 'Dana Okafor',
    about: 'Two verified emails; the primary one counts',
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
    id: 'olivia',
    name: 'Olivia Brandt',
    about: 'The operator of a trial on one machine',
    google: { sub: '100000000000000000007', email: 'operator@example.com', emailVerified: true },
    github: { id: 9_000_007, logins: ['olivia-brandt'], emails: [address('operator@example.com', true)] },
  },
  {
    id: 'bo',
    name: 'Bo Lindqvist',
    about: 'Unverified email: sign-in is refused',
    google: { sub: '100000000000000000005', email: 'bo@example.com', emailVerified: false },
    github: { id: 9_000_005, logins: ['bolindqvist'], emails: [address('bo@example.com', false)] },
  },
  {
    id: 'cleo',
    name: 'Cleo Marsh',
    about: 'No email: sign-in is refused',
    google: { sub: '100000000000000000006', email: null, emailVerified: false },
    github: { id: 9_000_006, logins: ['cleo'], emails: null },
  },
]

/** The person's address at this provider, as shown on the consent page. */
export function emailAt(person: Person, provider: 'google' | 'github'): string | null {
  if (provider === 'google') return person.google.email
  return person.github.emails?.find((entry) => entry.primary)?.email ?? null
}

/** The person with this address: a sample person, or one generated from it, always the same. Null: not an address. */
export function personOf(email: string, provider: 'google' | 'github'): Person | null {
  const lower = email.trim().toLowerCase()
  if (lower.length > 254 || !/^[^\s@<>"]+@[^\s@<>"]+$/.test(lower)) return null
  return samplePeople.find((person) => emailAt(person, provider) === lower) ?? generated(lower)
}

function generated(email: string): Person {
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

/** The sample person that the client's hint names, if any. */
export function hintedPerson(hint: string, provider: 'google' | 'github'): Person | undefined {
  return samplePeople.find(
    (person) => emailAt(person, provider) === hint.toLowerCase() || person.github.logins.includes(hint),
  )
}
