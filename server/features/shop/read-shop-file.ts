import { readFile, realpath, stat } from 'node:fs/promises'
import { dirname, resolve, sep } from 'node:path'
import { type Document, LineCounter, parseDocument } from 'yaml'
import type { z } from 'zod'
import { drawCard } from './draw-card.ts'
import { readFaq } from './read-faq.ts'
import { type Asset, letterMark, readLogo } from './read-logo.ts'
import type { Accent, Picture, Shop, ShopPage } from './shop.ts'
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

const MOST_PAGE_KIB = 256
const MOST_FILE_KIB = 64
const colors = { light: '#0b6d89', dark: '#58c4e0' }

/**
 * Reads shop.yaml and the files that it names. `known` are the groups and names that `builtins` may list. Throws an Error with the
 * line and key of every problem, and changes nothing.
 */
export async function readShopFile(path: string, known: readonly string[]): Promise<PreparedShop> {
  const lines = new LineCounter()
  const document = parseDocument(await readText(path, MOST_FILE_KIB), { lineCounter: lines })
  const lineOf = (key: PropertyKey | undefined): number => {
    const pair = key === undefined ? undefined : (document.getIn([key], true) as { range?: [number] } | undefined)
    return pair?.range ? lines.linePos(pair.range[0]).line : 1
  }
  const [broken] = document.errors
  if (broken) throw new Error(`${path}:${lines.linePos(broken.pos[0]).line}: ${syntaxProblem(broken)}`)
  const given = toValue(path, document)
  if (given === null) throw new Error(`${path} is empty. It needs at least a name: "name: Northwind Weather".`)
  const parsed = shopSchema.safeParse(given)
  if (!parsed.success) {
    const problems = parsed.error.issues.flatMap((issue) => {
      const key = issue.code === 'unrecognized_keys' ? issue.keys[0] : issue.path[0]
      return flatten(issue).map((one) => `${path}:${lineOf(key)}: ${one}`)
    })
    throw new Error(`${path} does not describe a shop:\n- ${problems.join('\n- ')}`)
  }
  const { logo, logo_dark, pages, ...settings } = parsed.data
  const problems: string[] = []
  const reading = async <T>(key: string, read: () => Promise<T>): Promise<T | undefined> => {
    try {
      return await read()
    } catch (error) {
      problems.push(`${path}:${lineOf(key.split('.')[0])}: ${key}: ${(error as Error).message}`)
      return undefined
    }
  }
  const beside = (name: string): Promise<string> => insideOf(dirname(path), name)
  const own = logo === undefined ? undefined : await reading('logo', async () => readLogo(await beside(logo)))
  const dark =
    logo_dark === undefined ? undefined : await reading('logo_dark', async () => readLogo(await beside(logo_dark)))
  if (logo === undefined && logo_dark !== undefined)
    problems.push(`${path}:${lineOf('logo_dark')}: logo_dark: set logo, too: it is shown on light surfaces`)
  const texts: Partial<Record<ShopPage, string>> = {}
  for (const page of pageNames) {
    const name = pages[page]
    const text = name && (await reading(`pages.${page}`, async () => readPage(page, await beside(name))))
    if (text) texts[page] = text
  }
  if (Array.isArray(settings.builtins))
    for (const name of settings.builtins)
      if (!known.includes(name))
        problems.push(
          `${path}:${lineOf('builtins')}: builtins: ${name} is no group or tool. There are: ${known.join(', ')}`,
        )
  if (problems.length > 0) throw new Error(`${path} does not describe a shop:\n- ${problems.join('\n- ')}`)
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

/** A stored version as every reader sees it; frozen. `unnamed` has what it leaves out. */
export function openShop(
  { version, stored, senderConfirmed }: { version: number; stored: StoredShop; senderConfirmed: boolean },
  unnamed: Shop,
): Shop {
  const {
    name,
    promise,
    accent,
    logo,
    logo_dark,
    card,
    support,
    sender,
    key_prefix,
    builtins,
    powered_by,
    pages,
    time_zone,
  } = stored
  return Object.freeze({
    version,
    name,
    promise: promise ?? null,
    accent: accent ?? null,
    logo: pictureOf(logo),
    logoDark: logo_dark ? pictureOf(logo_dark) : null,
    card: card ? pictureOf(card) : null,
    support: support ?? unnamed.support,
    sender: { name, address: (senderConfirmed && sender) || unnamed.sender.address },
    timeZone: time_zone ?? null,
    keyPrefix: key_prefix,
    builtins: builtins ?? 'on',
    poweredBy: powered_by,
    customers: false,
    pages,
  })
}

export const extensions: Record<Picture['type'], string> = {
  'image/svg+xml': 'svg',
  'image/png': 'png',
  'image/jpeg': 'jpg',
  'image/webp': 'webp',
}

const pictureOf = ({ hash, type }: Pick<Asset, 'hash' | 'type'>): Picture => ({
  path: `/shop/${hash}.${extensions[type]}`,
  type,
})

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

function syntaxProblem({ code, message }: Document['errors'][number]): string {
  if (code === 'MULTIPLE_DOCS') return 'There is more than one document: remove everything from --- on.'
  if (message.includes('call stack')) return 'It is nested too deeply.'
  return `${message.split('\n')[0]} The file may be half-written.`
}

function toValue(path: string, document: Document): unknown {
  try {
    return document.toJS({ maxAliasCount: 0 })
  } catch {
    throw new Error(`${path} uses YAML aliases (*name): write each value out.`)
  }
}

async function readPage(page: ShopPage, path: string): Promise<string> {
  const text = await readText(path, MOST_PAGE_KIB)
  try {
    if (page === 'faq') readFaq(text)
  } catch (error) {
    throw new Error(`${path}: ${(error as Error).message}`)
  }
  return text
}

/** What is applied becomes public, so a file of somebody else's must not name one of this machine's. */
async function insideOf(folder: string, name: string): Promise<string> {
  const wanted = resolve(folder, name)
  const [root, real] = await Promise.all([realpath(folder), realpath(wanted).catch(() => null)])
  if (real !== null && !real.startsWith(root + sep) && real !== root)
    throw new Error(
      `${wanted} lies outside of the folder of shop.yaml, and everything named here becomes public: copy it there`,
    )
  return wanted
}

async function readText(path: string, mostKib: number): Promise<string> {
  const found = await stat(path).catch((error: NodeJS.ErrnoException) => {
    throw new Error(error.code === 'ENOENT' ? `There is no file ${path}.` : `${path} cannot be read (${error.code}).`)
  })
  if (found.size > mostKib * 1024) throw new Error(`${path} has more than ${mostKib} KiB.`)
  const text = await readFile(path, 'utf8')
  if (text.includes('\uFFFD') || text.includes('\0')) throw new Error(`${path} is not a text in UTF-8.`)
  return text
}
