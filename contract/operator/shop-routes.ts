import { z } from 'zod'
import { act, anyRole, operatorRoute, ownerOnly } from './route.ts'

const time = z.iso.datetime()

/** A logo of a form: the one that is served, a new file in base64, or none. */
const logo = z.union([z.literal('keep'), z.object({ data: z.base64().max(400_000) })]).nullable()

/** shop.yaml without its files. The server checks each key and says what is wrong. */
const settings = z.record(z.string(), z.unknown())
const draft = {
  settings,
  logo,
  logo_dark: logo,
  /** Markdown; empty: no such page of its own. */
  pages: z.object({ terms: z.string(), privacy: z.string(), imprint: z.string(), faq: z.string() }).partial(),
}

const tones = z.object({
  text: z.string(),
  soft: z.string(),
  line: z.string(),
  /** Of text in the color, on the surface where it is worst. WCAG AA asks for 4.5. */
  contrast: z.number(),
})

const shown = z.object({
  /** 0: nobody has named it. */
  version: z.int(),
  applied_at: time.nullable(),
  settings,
  logo: z.string().nullable(),
  logo_dark: z.string().nullable(),
  pages: z.record(z.string(), z.string()),
  sender: z.object({
    /** What mails come from now. */
    used: z.string(),
    /** What waits for its code; null: nothing does. */
    waiting: z.string().nullable(),
    /** Whether this installation sends mails at all. */
    sends: z.boolean(),
  }),
  versions: z.array(z.object({ version: z.int(), name: z.string(), applied_at: time, served: z.boolean() })),
  /** What `builtins` may list. */
  builtins: z.array(z.string()),
})

const errors = ['invalid_parameter', 'forbidden', 'second_factor_required', 'conflict'] as const

/** How the installation names itself: shop.yaml, as a form. */
export const shopRoutes = {
  getShop: operatorRoute({
    method: 'GET',
    path: '/operator/api/shop',
    roles: anyRole,
    summary: 'The shop that is served, and its versions',
    status: 200,
    data: shown,
    errors: [],
  }),
  checkShop: operatorRoute({
    method: 'POST',
    path: '/operator/api/shop/check',
    roles: ownerOnly,
    summary: 'What is wrong with settings, by field, and how their colors come out. It stores nothing',
    body: z.object(draft),
    status: 200,
    data: z.object({
      problems: z.array(z.object({ field: z.string(), problem: z.string() })),
      /** Null: the accent is none yet. */
      accent: z.object({ light: tones, dark: tones }).nullable(),
    }),
    errors: ['invalid_parameter', 'forbidden', 'second_factor_required'],
  }),
  applyShop: operatorRoute({
    method: 'POST',
    path: '/operator/api/shop',
    roles: ownerOnly,
    fresh: true,
    summary: 'Serves these settings as the next version. A new sender gets a code first',
    body: act.extend({ ...draft, /** The version that was edited. */ version: z.int() }),
    status: 200,
    data: z.object({ shop: shown, /** Whether the sender got a code. */ sent: z.boolean() }),
    errors,
  }),
  undoShop: operatorRoute({
    method: 'POST',
    path: '/operator/api/shop/undo',
    roles: ownerOnly,
    fresh: true,
    summary: 'Serves what was served before',
    body: act.extend({ /** The version that is undone. */ version: z.int() }),
    status: 200,
    data: z.object({ shop: shown }),
    errors,
  }),
  confirmSender: operatorRoute({
    method: 'POST',
    path: '/operator/api/shop/sender',
    roles: ownerOnly,
    fresh: true,
    summary: 'Lets mails come from the sender that got the code',
    body: act.extend({ code: z.string().trim().min(1).max(20) }),
    status: 200,
    data: z.object({ shop: shown }),
    errors,
  }),
}
