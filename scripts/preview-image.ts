/**
 * node scripts/preview-image.ts: draws web/public/preview.png, which chats and feeds show with a link, and the letters of which
 * server/features/shop/draw-card.ts makes the same for a named shop.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { deflateRawSync } from 'node:zlib'
import { launch } from '../e2e/browser.ts'

const font = (path: string) =>
  `url(data:font/woff2;base64,${readFileSync(`node_modules/@fontsource-variable/${path}.woff2`, 'base64')})`
const tokens = readFileSync('web/styles/tokens.css', 'utf8')
const logo = readFileSync('web/public/favicon.svg', 'utf8')

const html = `<!doctype html><html data-theme="light"><style>${tokens}
@font-face { font-family: Geist; font-weight: 100 900; src: ${font('geist/files/geist-latin-wght-normal')} }
@font-face { font-family: Mono; font-weight: 100 900; src: ${font('geist-mono/files/geist-mono-latin-wght-normal')} }
body { margin: 0; width: 1200px; height: 630px; box-sizing: border-box; padding: 76px 80px; display: flex; flex-direction: column; background: var(--neutral-2); color: var(--neutral-12); font-family: Geist }
.name { display: flex; align-items: center; gap: 18px; font-size: 40px; font-weight: 560 }
.name svg { width: 56px; height: 56px }
h1 { margin: 52px 0 0; font-size: 76px; line-height: 84px; letter-spacing: -0.035em; font-weight: 560 }
pre { margin: auto 0 0; padding: 26px 32px; border: 2px solid var(--neutral-5); border-radius: 20px; background: var(--neutral-1); font: 25px/42px Mono; color: var(--neutral-11) }
b { font-weight: 400; color: var(--accent) }
</style><body><div class="name">${logo}Finmeter</div><h1>Financial data by the call,<br>over REST and MCP</h1>
<pre>GET /v1/series/OIL.WTI?range=1mo
200 OK   <b>X-Credits-Charged: 1   X-Receipt-Id: rcpt_...</b></pre></body></html>`

const browser = await launch()
const page = await browser.newPage({ viewport: { width: 1200, height: 630 } })
await page.setContent(html)
await page.evaluate(() => document.fonts.ready)
await page.screenshot({ path: 'web/public/preview.png' })

const SIZE = 72
const characters = Array.from({ length: 0x100 }, (_, code) => String.fromCharCode(code))
  .filter((one) => /[\x20-\x7e\xa1-\xff]/.test(one) && one !== '\xad')
  .concat([...'\u2013\u2014\u2018\u2019\u201c\u201d\u2026\u20ac'])
const { widths, pixels } = await page.evaluate(drawLetters, { characters, size: SIZE })
writeFileSync(
  'server/features/shop/card-letters.gen.ts',
  `// Written by scripts/preview-image.ts.\nexport const letters = ${JSON.stringify({
    characters: characters.join(''),
    size: SIZE,
    widths,
    pixels: deflateRawSync(Buffer.from(pixels), { level: 9 }).toString('base64'),
  })}\n`,
)
await browser.close()

/** Each letter in a cell that is 8 pixels wider than it and a third higher than the font: its darkness from 0 to 15, row by row. */
function drawLetters({ characters, size }: { characters: string[]; size: number }) {
  const canvas = document.createElement('canvas')
  const pen = canvas.getContext('2d', { willReadFrequently: true })!
  const font = `560 ${size}px Geist`
  const height = (size * 4) / 3
  pen.font = font
  const widths = characters.map((one) => Math.round(pen.measureText(one).width))
  const pixels = characters.flatMap((one, index) => {
    canvas.width = widths[index]! + 8
    canvas.height = height
    pen.font = font
    pen.fillText(one, 4, size)
    const { data } = pen.getImageData(0, 0, canvas.width, height)
    return Array.from({ length: canvas.width * height }, (_, at) => Math.round(data[at * 4 + 3]! / 17))
  })
  return { widths, pixels }
}
