import { isNamed, type Picture, type Shop } from '../features/shop/shop.ts'
import { escapeHtml } from '../http/escape-html.ts'
import { nameInMail } from './name-in-mail.ts'

export interface MailContent {
  /** The name of the workspace that it is about; not shown if it contains an address. */
  workspace?: string | undefined
  heading: string
  paragraphs: string[]
  /** A code to type, in large print. */
  code?: string
  action?: { label: string; url: string }
  /** Below a line: why the reader gets this mail. */
  note: string
}

/** Whose mail it is. */
export type Brand = Pick<Shop, 'version' | 'name' | 'logo' | 'support'> &
  Partial<Pick<Shop, 'logoDark' | 'accent'>> & { publicUrl: string }

/**
 * One email as text and as HTML with the same content, under the shop's name: a code or a failed payment without a
 * sender's name looks like fraud. All parameters are text: markup in them stays visible.
 */
export function writeMail(content: MailContent, brand: Brand): { text: string; html: string } {
  const { heading, paragraphs, code, action } = content
  const workspace = nameInMail(content.workspace ?? null)
  // An unnamed installation's address is that of the settings, often an example's.
  const note = isNamed(brand) ? `${content.note} Questions? Write to ${brand.support}.` : content.note
  const name = workspace ? `${brand.name}, workspace ${workspace}` : brand.name
  // The raw link is the last line: a long one in the middle hides the text.
  const link = action && `${action.label}:\n${action.url}`
  const text = [heading, ...paragraphs, code, `--\n${name}`, note, link]
  return { text: `${text.filter(Boolean).join('\n\n')}\n`, html: html({ ...content, note }, brand, workspace) }
}

/** Colors of dark mode and the edges of a phone, for clients that read styles; the others have the attributes. */
const looks = (action: string) =>
  `@media (max-width:480px){.page{padding:12px!important}.card{padding:20px!important}}@media (prefers-color-scheme:dark){.page{background:#0b0d10!important;color:#eef1f4!important}.card{background:#111317!important;border-color:#252a31!important}.quiet{color:#a7afba!important;border-color:#252a31!important}.action{background:${action}!important;color:#14181e!important}}`
const font = "font-family:-apple-system,'Segoe UI',Roboto,Helvetica,Arial,sans-serif"
const quiet = 'margin:0 0 8px;font-size:12px;line-height:18px;color:#5b6470'

/** Mail clients support tables and style attributes; the text part has the link for those that support neither. */
function html(
  { heading, paragraphs, code, action, note }: MailContent,
  brand: Brand,
  workspace: string | null,
): string {
  const parts = [
    `<p style="margin:0 0 20px;font-size:14px;line-height:20px;font-weight:700;letter-spacing:-0.01em">${logo(brand)}${escapeHtml(brand.name)}${workspace ? `<span class="quiet" style="font-weight:400;color:#5b6470"> &middot; ${escapeHtml(workspace)}</span>` : ''}</p>`,
    `<h1 style="margin:0 0 12px;font-size:20px;line-height:28px">${escapeHtml(heading)}</h1>`,
    ...paragraphs.map((text) => `<p style="margin:0 0 16px;font-size:14px;line-height:22px">${escapeHtml(text)}</p>`),
    code &&
      `<p style="margin:0 0 20px;font:600 28px/36px ui-monospace,Menlo,Consolas,monospace;letter-spacing:6px">${escapeHtml(code)}</p>`,
    action &&
      `<p style="margin:0 0 20px"><a class="action" href="${escapeHtml(action.url)}" style="display:inline-block;padding:10px 18px;border-radius:8px;background:${brand.accent?.light ?? '#16191d'};color:#ffffff;font-size:14px;font-weight:600;text-decoration:none">${escapeHtml(action.label)}</a></p>`,
    `<p class="quiet" style="${quiet};margin-top:24px;padding-top:16px;border-top:1px solid #e3e6ea">${escapeHtml(note)}</p>`,
  ]
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><meta name="color-scheme" content="light dark"><meta name="supported-color-schemes" content="light dark"><title>${escapeHtml(heading)}</title><style>${looks(brand.accent?.dark ?? '#eef1f4')}</style></head>
<body class="page" style="margin:0;padding:24px;background:#f4f5f7;color:#16191d;${font}"><table role="presentation" align="center" width="100%" style="max-width:480px;border-collapse:separate;border-spacing:0"><tr><td class="card" style="padding:28px;background:#ffffff;border:1px solid #e3e6ea;border-radius:12px;${font}">
${parts.filter(Boolean).join('\n')}
</td></tr></table></body></html>
`
}

/**
 * Mail clients show no SVG. A shop's address has a hash of the picture, so that later logos do not change mails of today. An
 * unnamed installation has the mark of the build.
 */
function logo({ version, name, logo, logoDark, publicUrl }: Brand): string {
  const shown = (picture: Picture | null | undefined) =>
    picture && picture.type !== 'image/svg+xml' ? escapeHtml(publicUrl + picture.path) : null
  const own = shown(logo) ?? (isNamed({ version }) ? null : escapeHtml(`${publicUrl}/icon.png`))
  if (own === null) return ''
  const image = `<img src="${own}" alt="${escapeHtml(name)} logo" height="24" style="vertical-align:middle;margin-right:8px">`
  const inDark = shown(logoDark)
  return inDark === null
    ? image
    : `<picture><source media="(prefers-color-scheme:dark)" srcset="${inDark}">${image}</picture>`
}
