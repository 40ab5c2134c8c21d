import type { z } from 'zod'
import { drawCard } from './draw-card.ts'
import { type Asset, letterMark } from './read-logo.ts'
import type { Accent, ShopPage } from './shop.ts'
import { pageNames, type ShopFile, shopSchema } from './shop-schema.ts'

/** What a version stores. `logo` and `logo_dark` name assets; without a logo of the operator's they are a mark that we draw. */
export interface StoredShop extends Omit<ShopFile, 'logo' | 'logo_dark' | 'pages' | 'accent'> {
  accent?: Accent | undefined
  logo: Pick<Asset, 'hash' | 'type'>
  logo_dark?: Pick<Asset, 'hash' | 'type'> | undefined
  /** The picture of links, where the logo is none that others show. */
  card?: Pick<Asset, 'hash' | 'type'> | undefined
  /** Whether we drew the logo. */
  drawn: boolean
  /** Markdown. */
  pages: Partial<Record<ShopPage, string>>
}

export interface PreparedShop {
  stored: StoredShop
  assets: Asset[]
}

/** Reads what settings name. Each throws an Error that says what is wrong with the file. */
export interface ShopFiles {
  logo: (name: string) => Promise<Asset>
  page: (page: ShopPage, name: string) => Promise<string>
}

/** What keeps settings from being a shop. `key`: the first part of the setting, as shop.yaml has it; undefined: all of it. */
export class ShopProblems extends Error {
  override name = 'ShopProblems'
  readonly problems: readonly { key: string | undefined; text: string }[]

  constructor(problems: ShopProblems['problems']) {
    super(problems.map(({ text }) => text).join('\n'))
    this.problems = problems
  }
}

const colors = { light: '#0b6d89', dark: '#58c4e0' }

/** A shop from its settings, as shop.yaml has them. `known` are the groups and names that `builtins` may list. Throws ShopProblems. */
export async function prepareShop(given: unknown, files: ShopFiles, known: readonly string[]): Promise<PreparedShop> {
  const parsed = shopSchema.safeParse(given)
  if (!parsed.success)
    throw new ShopProblems(
      parsed.error.issues.flatMap((issue) => {
        const key = issue.code === 'unrecognized_keys' ? issue.keys[0] : issue.path[0]
        return flatten(issue).map((text) => ({ key: key === undefined ? undefined : String(key), text }))
      }),
    )
  const { logo, logo_dark, pages, ...settings } = parsed.data
  const problems: { key: string; text: string }[] = []
  const reading = async <T>(key: string, read: () => Promise<T>): Promise<T | undefined> => {
    try {
      return await read()
    } catch (error) {
      problems.push({ key: key.split('.')[0]!, text: `${key}: ${(error as Error).message}` })
      return undefined
    }
  }
  const own = logo === undefined ? undefined : await reading('logo', () => files.logo(logo))
  const dark = logo_dark === undefined ? undefined : await reading('logo_dark', () => files.logo(logo_dark))
  if (logo === undefined && logo_dark !== undefined)
    problems.push({ key: 'logo_dark', text: 'logo_dark: set logo, too: it is shown on light surfaces' })
  const texts: Partial<Record<ShopPage, string>> = {}
  for (const page of pageNames) {
    const name = pages[page]
    const text = name && (await reading(`pages.${page}`, () => files.page(page, name)))
    if (text) texts[page] = text
  }
  if (Array.isArray(settings.builtins))
    for (const name of settings.builtins)
      if (!known.includes(name))
        problems.push({
          key: 'builtins',
          text: `builtins: ${name} is no group or tool. There are: ${known.join(', ')}`,
        })
  if (problems.length > 0) throw new ShopProblems(problems)
  const accent = settings.accent ?? colors
  const mark = own ?? letterMark(settings.name, accent)
  const card = mark.type === 'image/svg+xml' ? drawCard(settings.name, settings.promise, accent.light) : null
  return {
    stored: {
      ...settings,
      logo: named(mark),
      ...(dark && { logo_dark: named(dark) }),
      ...(card && { card: named(card) }),
      drawn: own === undefined,
      pages: texts,
    },
    assets: [mark, dark, card].filter((one) => one !== undefined && one !== null),
  }
}

const named = ({ hash, type }: Asset) => ({ hash, type })

type Issue = z.core.$ZodIssue

/** A union says what each of its forms would need: the form that the operator wrote is the one that matters. */
function flatten(issue: Issue): string[] {
  if (issue.code === 'unrecognized_keys')
    return issue.keys.map(
      (key) =>
        `${[...issue.path, key].join('.')} is not a key of shop.yaml. The keys are: ${Object.keys(shopSchema.shape).join(', ')}`,
    )
  if (issue.code === 'invalid_union' && issue.path[0] === 'accent') {
    const fitting = issue.errors.filter(
      (form) => !form.some(({ code, path }) => code === 'invalid_type' && path.length === 0),
    )
    const [form] = fitting.length > 0 ? fitting : issue.errors
    return form!.flatMap((one) => flatten({ ...one, path: [...issue.path, ...one.path] } as Issue))
  }
  const key = issue.path.join('.')
  return [
    /received undefined$|^is required$/.test(issue.message)
      ? `${key} is missing`
      : `${key || 'the file'}: ${issue.message}`,
  ]
}
