import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { stringify } from 'yaml'
import type { Queryable } from '../../db/database.ts'
import type { StoredShop } from './prepare-shop.ts'
import type { Asset } from './read-logo.ts'
import { extensions } from './read-shop-file.ts'
import { pageNames } from './shop-schema.ts'
import { readAsset, servedShop } from './store.ts'

/**
 * Writes the shop that is served into a folder, as shop.yaml and the files that it names: applied, it is the same shop. Returns the
 * paths. Throws an Error if nothing was applied, or a file would be replaced.
 */
export async function exportShop(db: Queryable, folder: string): Promise<string[]> {
  const { stored } = await requireServed(db)
  await mkdir(folder, { recursive: true })
  const written: string[] = []
  const write = async (name: string, content: string | Buffer): Promise<string> => {
    const path = join(folder, name)
    await writeFile(path, content, { flag: 'wx' }).catch((error: NodeJS.ErrnoException) => {
      throw error.code === 'EEXIST' ? new Error(`${path} exists. Choose another folder, or remove it first.`) : error
    })
    written.push(path)
    return name
  }
  const logo = async (name: string, { hash, type }: Pick<Asset, 'hash' | 'type'>): Promise<string> =>
    write(`${name}.${extensions[type]}`, (await readAsset(db, hash))!.body)
  const pages: Record<string, string> = {}
  for (const page of pageNames) {
    const text = stored.pages[page]
    if (text !== undefined) pages[page] = await write(`${page}.md`, text)
  }
  await write(
    'shop.yaml',
    stringify({
      ...shownSettings(stored),
      ...(!stored.drawn && { logo: await logo('logo', stored.logo) }),
      ...(stored.logo_dark && { logo_dark: await logo('logo-dark', stored.logo_dark) }),
      ...(Object.keys(pages).length > 0 && { pages }),
    }),
  )
  return written
}

/** The shop that is served, as shop.yaml without its files, and what it is. */
export async function showShop(
  db: Queryable,
): Promise<{ version: number; createdAt: Date; text: string; files: string[]; waits: boolean }> {
  const { version, createdAt, stored, senderConfirmed } = await requireServed(db)
  const files = [
    ...(stored.drawn ? [] : ['logo']),
    ...(stored.logo_dark ? ['logo_dark'] : []),
    ...Object.keys(stored.pages).map((page) => `pages.${page}`),
  ]
  return {
    version,
    createdAt,
    text: stringify(shownSettings(stored)).trimEnd(),
    files,
    waits: stored.sender !== undefined && !senderConfirmed,
  }
}

async function requireServed(db: Queryable) {
  const served = await servedShop(db)
  if (!served) throw new Error('This installation has no name of its own: apply a shop.yaml first.')
  return served
}

/** As shop.yaml has them, without the files that it names. */
export function shownSettings({ logo, logo_dark, card, drawn, pages, powered_by, ...settings }: StoredShop) {
  return { ...settings, powered_by: powered_by ? 'on' : 'off' }
}
