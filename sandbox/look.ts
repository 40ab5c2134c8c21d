import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const tokens = readFileSync(join(import.meta.dirname, '../web/styles/tokens.css'), 'utf8')
const fonts = join(import.meta.dirname, '../dist/web/assets')
const font = existsSync(fonts) && readdirSync(fonts).find((file) => /^geist-latin-.*\.woff2$/.test(file))

/**
 * The product's design tokens and font, and the styles that all pages of the sandbox share. The pages say that they are a sandbox; they only
 * look like the product. They need `style-src` for this text and `font-src 'self'`.
 */
export const look = `${tokens}
${font ? `@font-face{font-family:Geist;font-weight:100 900;font-display:swap;src:url(/assets/${font}) format('woff2')}` : ''}
:root{--page:light-dark(var(--neutral-2),var(--neutral-1));--card:light-dark(var(--neutral-1),var(--neutral-2));--line:var(--neutral-5);--edge:var(--neutral-7);--ink:var(--neutral-12);--quiet:var(--neutral-11)}
*{box-sizing:border-box}
body{margin:0;background:var(--page);color:var(--ink);font:14px/20px Geist,system-ui,sans-serif;font-variant-numeric:tabular-nums}
h1{font-size:24px;line-height:32px;letter-spacing:-.02em;margin:0;font-weight:560}
h2,strong{font-weight:560}
code,pre{font-family:ui-monospace,monospace}
a{color:var(--accent);text-underline-offset:4px}
button,select,input{font:inherit;color:var(--ink)}
button,select,input[type=email]{min-height:36px;padding:6px 14px;border-radius:var(--radius-control);border:1px solid var(--edge);background:var(--card)}
::placeholder{color:var(--quiet);opacity:1}
button{font-weight:560;cursor:pointer}
button:hover{background:var(--neutral-4)}
button.primary{background:var(--ink);border-color:var(--ink);color:var(--card)}
button.primary:hover{opacity:.88}
@media (pointer:coarse){button,select,input[type=email]{min-height:44px}}
:focus-visible{outline:2px solid var(--accent);outline-offset:2px}
`
