import { escapeHtml } from '../../http/escape-html.ts'
import { isAlarming, tonesOf } from './accent.ts'
import { isNamed, type Shop } from './shop.ts'

const icon = /<link rel="icon"[^>]*>/
const picture = /<meta property="og:image[^>]*>/g
const largePicture = 'content="summary_large_image"'

/** A built page with the shop's icon, colors and social picture; an unnamed shop's is unchanged. */
export function brandPage(html: string, shop: Shop, publicUrl: string): string {
  if (!isNamed(shop)) return html
  const { logo, card, accent, name } = shop
  const icons = logo ? `<link rel="icon" href="${logo.path}" type="${logo.type}">` : ''
  const isBitmap = logo !== null && logo.type !== 'image/svg+xml'
  const shown = isBitmap ? logo : card
  const facts: [string, string][] = shown ? [['image', publicUrl + shown.path]] : []
  if (shown && !isBitmap) facts.push(['image:width', '1200'], ['image:height', '630'], ['image:alt', name])
  const social = facts
    .map(([fact, content]) => `<meta property="og:${fact}" content="${escapeHtml(content)}">`)
    .join('')
  const had = picture.test(html)
  picture.lastIndex = 0
  return html
    .replace(icon, icons)
    .replaceAll(picture, '')
    .replace(largePicture, shown && !isBitmap ? largePicture : 'content="summary"')
    .replace('</head>', `${had ? social : ''}${accent ? accentStyle(accent) : ''}</head>`)
}

/** Stronger than the rule of the style sheet, which comes later on some pages. */
function accentStyle({ light, dark }: NonNullable<Shop['accent']>): string {
  const [day, night] = [tonesOf(light, 'light'), tonesOf(dark, 'dark')]
  const rules = [
    ['accent', 'text'],
    ['accent-soft', 'soft'],
    ['accent-line', 'line'],
    // The accent has the contrast of text in both themes, or it was refused.
    ['chart-line', 'text'],
    ...(isAlarming(light) ? [] : ([['chart-success', 'text']] as const)),
  ] as const
  const colors = rules.map(([name, tone]) => `--${name}:light-dark(${day[tone]},${night[tone]})`).join(';')
  return `<style>@media (forced-colors:none){html:root{${colors}}}</style>`
}
