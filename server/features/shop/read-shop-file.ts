import { readFile, realpath, stat } from 'node:fs/promises'
import { dirname, resolve, sep } from 'node:path'
import { type Document, LineCounter, parseDocument } from 'yaml'
import { type PreparedShop, prepareShop, type ShopFiles, ShopProblems, type StoredShop } from './prepare-shop.ts'
import { readFaq } from './read-faq.ts'
import { type Asset, readLogo } from './read-logo.ts'
import type { Picture, Shop, ShopPage } from './shop.ts'

const MOST_PAGE_KIB = 256
const MOST_FILE_KIB = 64

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
  const beside = (name: string): Promise<string> => insideOf(dirname(path), name)
  const files: ShopFiles = {
    logo: async (name) => readLogo(await beside(name)),
    page: async (page, name) => readPage(page, await beside(name)),
  }
  try {
    return await prepareShop(given, files, known)
  } catch (error) {
    if (!(error instanceof ShopProblems)) throw error
    const problems = error.problems.map(({ key, text }) => `${path}:${lineOf(key)}: ${text}`)
    throw new Error(`${path} does not describe a shop:\n- ${problems.join('\n- ')}`)
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
    seller,
    key_prefix,
    builtins,
    powered_by,
    pages,
    time_zone,
    currency,
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
    seller: seller ? { name: seller.name, address: seller.address, taxId: seller.tax_id ?? null } : null,
    timeZone: time_zone ?? null,
    currency: currency ?? null,
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
