import { createHmac, timingSafeEqual } from 'node:crypto'

const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }

/** Markup that is already escaped. */
export class Html {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

function embed(part: unknown): string {
  if (Array.isArray(part)) return part.map(embed).join('')
  if (part instanceof Html) return part.text
  if (part === null || part === undefined || part === false) return ''
  return String(part).replaceAll(/[&<>"']/g, (sign) => entities[sign] as string)
}

/** Markup from a template: every value that is not markup itself is escaped. */
export function html(strings: TemplateStringsArray, ...parts: unknown[]): Html {
  return new Html(String.raw({ raw: strings }, ...parts.map(embed)))
}

/** The token in a page's forms, which only the page contains. */
export function formToken(secret: string, page: string): string {
  return createHmac('sha256', secret).update(page).digest('base64url')
}

export function isFormToken(given: unknown, secret: string, page: string): boolean {
  const wanted = Buffer.from(formToken(secret, page))
  const got = Buffer.from(typeof given === 'string' ? given : '')
  return got.length === wanted.length && timingSafeEqual(got, wanted)
}

/** A complete page, marked as a sandbox. */
export function page(title: string, body: Html): string {
  return html`<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex"><meta name="referrer" content="no-referrer"><title>${title} (sandbox)</title><link rel="stylesheet" href="/sandbox/checkout/style.css"></head>
<body><header class="banner"><strong>SANDBOX</strong> No payment is made, and no card details are needed.</header><main>${body}</main></body></html>`
    .text
}

/** A form with its token and the given controls. */
export function form(action: string, token: string, controls: Html, name?: string): Html {
  return html`<form method="post" action="${action}"${name ? html` aria-label="${name}"` : null}><input type="hidden" name="token" value="${token}">${controls}</form>`
}

export const notice = (text: string | null): Html | null =>
  text ? html`<p class="notice" role="alert">${text}</p>` : null

/** The cards that a page offers instead of a number field, and what each does. */
export const cardChoices: Record<string, [card: string, about: string]> = {
  pm_card_visa: ['Visa 4242', 'always pays'],
  pm_card_mastercard: ['Mastercard 4444', 'always pays'],
  pm_card_chargeCustomerFail: ['Visa 0341', 'saves, then every charge is declined'],
  pm_card_authenticationRequired: ['Visa 3184', 'requires authentication every time'],
  pm_card_createDispute: ['Visa 0259', 'pays, then every charge is disputed'],
}

/** The first one is chosen. */
export function cardChoice(names: string[]): Html {
  const options = names.map((name, index) => {
    const [card, about] = cardChoices[name] ?? [name, '']
    return html`<label class="card"><input type="radio" name="card" value="${name}"${index === 0 ? html` checked` : null}><span>${card} <span class="soft">${about}</span></span></label>`
  })
  return html`<fieldset><legend>Test card</legend>${options}</fieldset>`
}
