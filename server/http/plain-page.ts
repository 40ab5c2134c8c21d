import { createHash } from 'node:crypto'
import type { FastifyReply } from 'fastify'
import { escapeHtml } from './escape-html.ts'

const style = `
:root{color-scheme:light dark;--page:#f4f5f7;--card:#fff;--line:#d5d9df;--ink:#16191d;--quiet:#555d68}
@media (prefers-color-scheme:dark){:root{--page:#0f1114;--card:#181b20;--line:#343a43;--ink:#eceef1;--quiet:#a3abb7}}
body{margin:0;min-height:100vh;display:grid;place-items:center;background:var(--page);color:var(--ink);font:14px/20px system-ui,-apple-system,'Segoe UI',Roboto,sans-serif}
main{box-sizing:border-box;width:calc(100% - 32px);max-width:24rem;padding:32px;margin:16px 0;background:var(--card);border:1px solid var(--line);border-radius:12px}
strong{display:block;margin-bottom:24px;font-weight:600}
h1{font-size:20px;line-height:28px;margin:0 0 8px}
p{margin:0 0 20px;color:var(--quiet)}
button{font:inherit;font-weight:600;width:100%;min-height:44px;border:0;border-radius:8px;background:var(--ink);color:var(--card);cursor:pointer}
a{color:inherit}
:focus-visible{outline:2px solid var(--ink);outline-offset:2px}
`
// No form-action: browsers apply it to the redirect that answers the form, which leads to the application.
const POLICY = `default-src 'none'; style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'; base-uri 'none'; frame-ancestors 'none'`

export interface PlainPage {
  title: string
  about: string
  form?: { action: string; fields: Record<string, string>; button: string }
}

/** A page in our look, under the shop's name, that works without scripts: a sentence, and at most one button that posts `fields`. */
export function sendPlainPage(reply: FastifyReply, shop: string, { title, about, form }: PlainPage): FastifyReply {
  const hidden = Object.entries(form?.fields ?? {})
    .map(([name, value]) => `<input type="hidden" name="${name}" value="${escapeHtml(value)}">`)
    .join('')
  const button = form
    ? `<form method="post" action="${form.action}">${hidden}<button autofocus>${form.button}</button></form>`
    : `<a href="/">Go to ${escapeHtml(shop)}</a>`
  return reply
    .headers({ 'content-security-policy': POLICY, 'referrer-policy': 'no-referrer', 'cache-control': 'no-store' })
    .type('text/html; charset=utf-8')
    .send(`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><meta name="robots" content="noindex"><title>${title} · ${escapeHtml(shop)}</title><style>${style}</style></head>
<body><main><strong>${escapeHtml(shop)}</strong><h1>${title}</h1><p>${escapeHtml(about)}</p>${button}</main></body></html>`)
}
