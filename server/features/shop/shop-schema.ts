import { z } from 'zod'
import { HIDDEN } from '../../hidden-characters.ts'
import { contrastProblem, forDark } from './accent.ts'
import { type Accent, DEFAULT_KEY_PREFIX } from './shop.ts'

/** Of our own credentials, and of others that secret scanners would take our keys for. */
const takenPrefixes = new Set([
  'fms_',
  'fmat_',
  'fmac_',
  'fmrt_',
  'sk_',
  'pk_',
  'rk_',
  'ghp_',
  'gho_',
  'ghu_',
  'ghs_',
  'ghr_',
])

const line = (most: number) =>
  z
    .string({ error: ({ input }) => (input === undefined ? 'is required' : 'must be a text: put it in quotes') })
    .trim()
    .min(1, 'must not be empty')
    .refine((text) => [...text].length <= most, {
      error: ({ input }) => `has ${[...String(input)].length} characters, and may have ${most}`,
      abort: true,
    })
    .refine((text) => text.search(HIDDEN) === -1 && !/[\t\n]/.test(text) && text.isWellFormed(), {
      error: 'has control characters, line breaks or hidden characters: type it again as plain text',
    })

const address = z.email('must be an email address such as help@northwind.example').max(255)
const onOff = z
  .union([z.enum(['on', 'off']), z.boolean()], 'must be on or off')
  .transform((value) => value === true || value === 'on')
const hex = z
  .string('must be a color such as "#0b6d89", in quotes: YAML takes what follows # for a comment')
  .regex(/^#[0-9a-f]{6}$/i, 'must be a color such as "#0b6d89"')
  .transform((color) => color.toLowerCase())

const readable = (theme: keyof Accent) =>
  hex.superRefine((color, context) => {
    const problem = contrastProblem(color, theme)
    if (problem) context.addIssue({ code: 'custom', message: problem })
  })

const accent = z.union([
  readable('light').transform((light): Accent => ({ light, dark: forDark(light) })),
  z.strictObject({ light: readable('light'), dark: readable('dark') }),
])

const file = z.string().min(1).max(4_096)
/** Files of the name that are read beside shop.yaml. */
export const pageNames = ['terms', 'privacy', 'imprint', 'faq'] as const

/** The legal seller, as payment receipts name it. */
const seller = z.strictObject({
  name: line(100),
  address: z.array(line(100), 'must be a list of lines').min(1, 'needs at least one line').max(6, 'may have 6 lines'),
  tax_id: line(60).optional(),
})

/** `shop.yaml` (docs/shop.md). Paths are relative to the file. */
export const shopSchema = z.strictObject({
  // It stands in headers of mails, in JSON and in Markdown.
  name: line(60)
    .regex(/^[^<>"\\`]*$/, 'must not have any of < > " \\ `')
    .regex(/[\p{L}\p{N}]/u, 'must have a letter or a digit'),
  promise: line(160).optional(),
  accent: accent.optional(),
  logo: file.optional(),
  logo_dark: file.optional(),
  support: address.optional(),
  sender: address.optional(),
  seller: seller.optional(),
  currency: z
    .string()
    .refine(isCurrency, 'must be the code of a currency in lower case, such as usd or eur')
    .optional(),
  time_zone: z.string().refine(isZone, 'must be a time zone such as Europe/Berlin or UTC').optional(),
  key_prefix: z
    .string()
    .regex(/^[a-z]{2,4}_$/, 'must be two to four small letters and an underscore, such as nw_')
    .refine((prefix) => !takenPrefixes.has(prefix), {
      error: ({ input }) => `${input} begins secrets of another kind: choose another prefix`,
    })
    .default(DEFAULT_KEY_PREFIX),
  builtins: z
    .union(
      [
        onOff.transform((on) => (on ? ('on' as const) : ('off' as const))),
        z.array(z.string()).min(1, 'is an empty list: write off'),
      ],
      'must be on, off, or a list of groups and tools that stay',
    )
    .optional(),
  powered_by: onOff.default(true),
  pages: z
    .strictObject({ terms: file.optional(), privacy: file.optional(), imprint: file.optional(), faq: file.optional() })
    .default({}),
})

export type ShopFile = z.output<typeof shopSchema>

/** One that has a name: Intl takes any three letters. */
function isCurrency(code: string): boolean {
  return /^[a-z]{3}$/.test(code) && Intl.supportedValuesOf('currency').includes(code.toUpperCase())
}

function isZone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).format(0) !== ''
  } catch {
    return false
  }
}
