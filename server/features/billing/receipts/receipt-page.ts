import { createHash } from 'node:crypto'
import { escapeHtml } from '../../../http/escape-html.ts'
import type { Receipt } from './receipt.ts'

const style = `
:root{color-scheme:light}
body{margin:0;background:#fff;color:#16191d;font:14px/20px system-ui,-apple-system,'Segoe UI',Roboto,'Noto Sans',sans-serif;overflow-wrap:anywhere}
main{box-sizing:border-box;max-width:44rem;margin:0 auto;padding:40px 16px}
h1{font-size:24px;line-height:32px;margin:0 0 8px}
.quiet,dt,th,.parties h2{color:#555d68;font-weight:400}
.test{color:#a3161f;font-weight:600}
dl{display:grid;grid-template-columns:max-content 1fr;gap:2px 16px;margin:16px 0}
dd,p{margin:0}
.parties{display:grid;grid-template-columns:1fr 1fr;gap:24px;margin:24px 0}
.parties h2{font-size:14px;line-height:20px;margin:0}
table{width:100%;border-collapse:collapse}
td,th{padding:4px 0;text-align:left;vertical-align:top}
td:last-child,th:last-child{text-align:right;white-space:nowrap;padding-left:16px}
thead tr,tbody tr:last-child{border-bottom:1px solid #d5d9df}
.notes{margin-top:24px}
.hint{background:#f4f5f7;border-radius:8px;padding:12px 16px;margin-bottom:24px}
@media print{.hint{display:none}main{padding:0}}
`
/** Nothing is loaded, nothing runs. */
export const RECEIPT_POLICY = `default-src 'none'; style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'; base-uri 'none'; frame-ancestors 'none'`

/** The receipt as a page to print, for letters that the fonts of a PDF lack. Light on every screen, as on paper. */
export function receiptPage({ test, number, facts, seller, buyer, lines, totals, notes }: Receipt): string {
  const e = escapeHtml
  const party = (label: string, { name, lines: rest }: Receipt['seller']) =>
    `<section><h2>${label}</h2><p><strong>${e(name)}</strong></p>${rest.map((line) => `<p>${e(line)}</p>`).join('')}</section>`
  const rows = lines.map(
    ({ text, about, amount }) =>
      `<tr><td>${e(text)}${about && `<div class="quiet">${e(about)}</div>`}</td><td>${e(amount)}</td></tr>`,
  )
  const sums = totals.map(({ text, amount, strong }) => {
    const said = (words: string) => (strong ? `<strong>${e(words)}</strong>` : e(words))
    return `<tr><td>${said(text)}</td><td>${said(amount)}</td></tr>`
  })
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><meta name="robots" content="noindex"><title>Payment receipt ${e(number)}</title><style>${style}</style></head>
<body><main><p class="hint">This receipt has letters that our PDFs cannot show. Print this page, or save it as a PDF.</p>
<h1>Payment receipt</h1>${test ? '<p class="test">TEST, no payment was made</p>' : ''}
<dl>${facts.map(({ label, value }) => `<dt>${e(label)}</dt><dd>${e(value)}</dd>`).join('')}</dl>
<div class="parties">${party('From', seller)}${party('Billed to', buyer)}</div>
<table><thead><tr><th>Description</th><th>Amount</th></tr></thead><tbody>${rows.join('')}</tbody><tfoot>${sums.join('')}</tfoot></table>
<div class="notes">${notes.map((note) => `<p>${e(note)}</p>`).join('')}</div></main></body></html>`
}
