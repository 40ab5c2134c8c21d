import type { Body, Data } from '../../lib/api.ts'

export type Shop = Data<'GET /shop'>
export type CheckedShop = Data<'POST /shop/check'>
export type Draft = Body<'POST /shop/check'>
export type Logo = Draft['logo']
type Pages = Draft['pages']

/** The legal seller; the address with a line break between its lines. */
export interface SellerForm {
  name: string
  address: string
  tax_id: string
}

/** The form's own texts; what is empty is left out. */
export interface ShopForm {
  name: string
  promise: string
  accent: string
  /** Empty: made lighter from the other. */
  accentDark: string
  support: string
  sender: string
  key_prefix: string
  time_zone: string
  /** `on`, `off`, `default`, or names with commas between them. */
  builtins: string
  powered_by: boolean
  seller: SellerForm
  logo: Logo
  logo_dark: Logo
  pages: Pages
}

const text = (value: unknown): string => (typeof value === 'string' ? value : '')

/** The form of the shop that is served. */
export function formOf({ settings, logo, logo_dark, pages, version }: Shop): ShopForm {
  const accent = (settings.accent ?? {}) as { light?: string; dark?: string }
  const { builtins } = settings
  const seller = (settings.seller ?? {}) as { name?: string; address?: string[]; tax_id?: string }
  return {
    name: text(settings.name),
    promise: text(settings.promise),
    accent: text(accent.light),
    accentDark: text(accent.dark),
    support: text(settings.support),
    sender: text(settings.sender),
    key_prefix: text(settings.key_prefix) || 'fm_',
    time_zone: text(settings.time_zone),
    builtins: Array.isArray(builtins) ? builtins.join(', ') : text(builtins) || 'default',
    powered_by: version === 0 || settings.powered_by === 'on',
    seller: { name: text(seller.name), address: (seller.address ?? []).join('\n'), tax_id: text(seller.tax_id) },
    logo: logo === null ? null : 'keep',
    logo_dark: logo_dark === null ? null : 'keep',
    pages,
  }
}

/** As the server takes it. Keys of shop.yaml that the form does not have stay as they are served. */
export function draftOf(form: ShopForm, served: Shop['settings']): Draft {
  const { name, promise, accent, accentDark, support, sender, key_prefix, time_zone, builtins, powered_by } = form
  const { currency } = served
  const given = { promise, support, sender, time_zone }
  return {
    settings: {
      name: name.trim(),
      ...Object.fromEntries(Object.entries(given).filter(([, value]) => value.trim() !== '')),
      ...(currency !== undefined && { currency }),
      ...sellerOf(form.seller),
      ...(accent !== '' && { accent: accentDark === '' ? accent : { light: accent, dark: accentDark } }),
      key_prefix: key_prefix.trim(),
      ...builtinsOf(builtins),
      powered_by: powered_by ? 'on' : 'off',
    },
    logo: form.logo,
    logo_dark: form.logo_dark,
    pages: form.pages,
  }
}

/** All empty: none. Each line of the address is kept without its spaces. */
function sellerOf({ name, address, tax_id }: SellerForm) {
  if (`${name}${address}${tax_id}`.trim() === '') return {}
  const lines = address.split('\n').map((line) => line.trim())
  return {
    seller: {
      name: name.trim(),
      address: lines.filter(Boolean),
      ...(tax_id.trim() !== '' && { tax_id: tax_id.trim() }),
    },
  }
}

function builtinsOf(given: string) {
  if (given === 'default') return {}
  if (given === 'on' || given === 'off') return { builtins: given }
  const names = given
    .split(',')
    .map((name) => name.trim())
    .filter(Boolean)
  return { builtins: names.length > 0 ? names : 'off' }
}

/** A file as the server takes it, and as a picture: the page's policy allows `data:` alone. */
export async function logoOf(file: File): Promise<{ logo: Logo; picture: string }> {
  const bytes = new Uint8Array(await file.arrayBuffer())
  let binary = ''
  for (const byte of bytes) binary += String.fromCharCode(byte)
  const data = btoa(binary)
  return { logo: { data }, picture: `data:${file.type};base64,${data}` }
}
