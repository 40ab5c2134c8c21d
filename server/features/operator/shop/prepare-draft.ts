import type { z } from 'zod'
import type { shopRoutes } from '#contract/operator/shop-routes.ts'
import type { Deps } from '../../../deps.ts'
import { toolGroups } from '../../../product-tools.ts'
import { contrastOf, forDark, tonesOf } from '../../shop/accent.ts'
import { builtinNames } from '../../shop/builtins.ts'
import { type PreparedShop, prepareShop, ShopProblems } from '../../shop/prepare-shop.ts'
import { readFaq } from '../../shop/read-faq.ts'
import { type Asset, checkLogo } from '../../shop/read-logo.ts'
import { readAsset, servedShop } from '../../shop/store.ts'

export type Draft = z.output<typeof shopRoutes.checkShop.body>
type Checked = z.input<typeof shopRoutes.checkShop.data>

const MOST_PAGE_BYTES = 256 * 1024
/** The names of a form's files, as shop.yaml would have them. */
const names = { logo: 'logo', logo_dark: 'logo_dark' } as const

/** The shop that a form stands for. Throws ShopProblems. */
export async function prepareDraft({ db }: Pick<Deps, 'db'>, draft: Draft): Promise<PreparedShop> {
  const texts = Object.entries(draft.pages).filter(([, text]) => text.trim() !== '')
  return prepareShop(
    {
      ...draft.settings,
      ...(draft.logo && { logo: names.logo }),
      ...(draft.logo_dark && { logo_dark: names.logo_dark }),
      ...(texts.length > 0 && { pages: Object.fromEntries(texts.map(([page]) => [page, `${page}.md`])) }),
    },
    {
      logo: (name) => logoOf(db, draft, name as keyof typeof names),
      async page(page) {
        const text = draft.pages[page]!
        if (Buffer.byteLength(text) > MOST_PAGE_BYTES) throw new Error('it has more than 256 KiB')
        if (page === 'faq') readFaq(text)
        return text
      },
    },
    builtinNames(toolGroups),
  )
}

/** What is wrong with a form, by field, and how its accent comes out. */
export async function checkDraft(deps: Pick<Deps, 'db'>, draft: Draft): Promise<Checked> {
  const accent = accentOf(draft.settings.accent)
  try {
    await prepareDraft(deps, draft)
    return { problems: [], accent }
  } catch (error) {
    if (!(error instanceof ShopProblems)) throw error
    const problems = error.problems.map(({ key = '', text }) => ({
      field: /^(pages|seller)\.\w+/.exec(text)?.[0] ?? key,
      problem: text,
    }))
    return { problems, accent }
  }
}

async function logoOf(db: Deps['db'], draft: Draft, name: keyof typeof names): Promise<Asset> {
  const given = draft[name]!
  if (given !== 'keep') return checkLogo(Buffer.from(given.data, 'base64'), 'The file')
  const stored = (await servedShop(db.kysely))?.stored
  const kept = name === 'logo' && stored?.drawn ? undefined : stored?.[name]
  const asset = kept && (await readAsset(db.kysely, kept.hash))
  if (!kept || !asset) throw new Error('there is none to keep: choose a file')
  return { hash: kept.hash, type: kept.type, body: asset.body }
}

const HEX = /^#[0-9a-f]{6}$/i

/** Also of a color that is refused, so that the form can show why. */
function accentOf(given: unknown): Checked['accent'] {
  const pair = typeof given === 'object' && given !== null ? (given as Record<string, unknown>) : { light: given }
  const light = String(pair.light ?? '').toLowerCase()
  if (!HEX.test(light)) return null
  const dark = pair.dark === undefined ? forDark(light) : String(pair.dark).toLowerCase()
  if (!HEX.test(dark)) return null
  return {
    light: { ...tonesOf(light, 'light'), contrast: contrastOf(light, 'light') },
    dark: { ...tonesOf(dark, 'dark'), contrast: contrastOf(dark, 'dark') },
  }
}
