import type { FastifyReply } from 'fastify'
import { style as shared } from '../identity/consent-style.ts'
import type { ReceivedMail } from './mailbox.ts'

const style = `${shared}
main{max-width:44rem}
ul{list-style:none;margin:0;padding:0;background:var(--card);border:1px solid var(--line);border-radius:8px}
li+li{border-top:1px solid var(--line)}
li a{display:grid;grid-template-columns:minmax(0,1fr) auto;column-gap:16px;align-items:center;padding:10px 12px;color:inherit;text-decoration:none}
li a:hover{background:var(--neutral-4)}
li a>*{grid-column:1/-2;overflow-wrap:anywhere}
li a::after{content:"";grid-area:1/-2/span 4;width:7px;height:7px;border:solid var(--quiet);border-width:1.5px 1.5px 0 0;rotate:45deg}
li .start,li time{margin-top:2px;font-size:12px;line-height:16px;color:var(--quiet)}
li .start{white-space:nowrap;overflow:hidden;text-overflow:ellipsis}
@media (min-width:32rem){li a{grid-template-columns:minmax(0,1fr) auto auto}li strong{grid-column:1}li time{grid-area:1/2;margin:0}}
.top{display:flex;justify-content:space-between;align-items:baseline;gap:16px}
dl{display:grid;grid-template-columns:auto 1fr;gap:4px 12px;margin:0 0 16px}
dt{color:var(--quiet)}
dd{margin:0;overflow-wrap:anywhere}
iframe{display:block;width:100%;height:28rem;border:1px solid var(--line);border-radius:8px}
pre{white-space:pre-wrap;overflow-wrap:anywhere;border:1px solid var(--line);border-radius:8px;padding:12px;margin:8px 0 0}
@media (min-width:32rem){iframe{height:25rem}}
form{margin-bottom:16px}
details{margin:16px 0 0;padding:0;border:0}
.back{color:var(--accent)}
`

// The email is in a frame without scripts and without our origin; its markup has style attributes.
const POLICY = `default-src 'none'; style-src 'unsafe-inline'; img-src 'self'; font-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'`

/** All emails, newest first; `to` filters by recipient. */
export function sendMailboxPage(reply: FastifyReply, appName: string, mails: ReceivedMail[], to: string): FastifyReply {
  const name = escapeHtml(appName)
  const list = mails
    .map(
      (mail) => `<li><a href="/sandbox/mail/${mail.id}"><strong>${escapeHtml(mail.subject)}</strong>
<span>to ${escapeHtml(mail.recipients.join(', '))}</span><span class="start">${escapeHtml(startOf(mail))}</span>${time(mail)}</a></li>`,
    )
    .join('')
  const empty = to
    ? `No mail for ${escapeHtml(to)} yet.`
    : `No mail yet. Mail that ${name} sends on this machine appears here. Reload to check again.`
  return send(
    reply,
    200,
    'Mailbox (sandbox)',
    `<p><a class="back" href="/">Back to ${name}</a></p><div class="top"><h1>Mailbox</h1><span class="quiet">${mails.length} ${mails.length === 1 ? 'email' : 'emails'}</span></div>
<p class="quiet">${to ? `Mail to ${escapeHtml(to)}. <a href="/sandbox/mail/">Show all</a>` : `All mail that ${name} has sent since it started.`}</p>
${mails.length > 1 || to ? `<form><div class="row"><input name="to" type="email" aria-label="Recipient" value="${escapeHtml(to)}" placeholder="Only mail to name@example.com"><button>Show</button></div></form>` : ''}
${mails.length === 0 ? `<p>${empty}</p>` : `<ul>${list}</ul>`}`,
  )
}

/** One email as its recipient sees it, and its plain text. */
export function sendMailPage(reply: FastifyReply, mail: ReceivedMail | undefined): FastifyReply {
  if (!mail)
    return send(
      reply,
      404,
      'Mail not found (sandbox)',
      `<h1>Mail not found</h1><p>The mailbox is emptied when the server restarts.</p><p><a class="back" href="/sandbox/mail/">Back to the mailbox</a></p>`,
    )
  const framed = mail.html.replace('<head>', '<head><base target="_top">')
  return send(
    reply,
    200,
    `${mail.subject} (sandbox)`,
    `<p><a class="back" href="/sandbox/mail/">Back to the mailbox</a></p><h1>${escapeHtml(mail.subject)}</h1>
<dl><dt>From</dt><dd>${escapeHtml(mail.from)}</dd><dt>To</dt><dd>${escapeHtml(mail.recipients.join(', '))}</dd><dt>Sent</dt><dd>${time(mail)}</dd></dl>
${framed ? `<iframe title="Mail" sandbox="allow-top-navigation-by-user-activation" srcdoc="${escapeHtml(framed)}"></iframe>` : ''}
<details><summary>Plain text</summary><pre>${escapeHtml(mail.text)}</pre></details>`,
  )
}

function send(reply: FastifyReply, status: number, title: string, body: string): FastifyReply {
  return reply
    .code(status)
    .headers({
      'content-security-policy': POLICY,
      'cache-control': 'no-store',
      'referrer-policy': 'no-referrer',
    })
    .type('text/html; charset=utf-8')
    .send(`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><meta name="color-scheme" content="light dark"><meta name="robots" content="noindex"><title>${escapeHtml(title)}</title><style>${style}</style></head>
<body><main><header><span class="badge">SANDBOX</span><p>A mail server on this machine. Nothing is delivered outside it.</p></header>${body}</main></body></html>`)
}

/** The first words of the text, for the list; a heading is not among them. */
function startOf({ text }: ReceivedMail): string {
  const [first = '', ...rest] = text.trim().split(/\n\s*\n/)
  return (rest.length > 0 ? rest.join(' ') : first).replaceAll(/\s+/g, ' ').slice(0, 160)
}

const moment = new Intl.DateTimeFormat('en-US', { dateStyle: 'medium', timeStyle: 'medium', timeZone: 'UTC' })
const time = ({ receivedAt }: ReceivedMail): string =>
  `<time datetime="${receivedAt.toISOString()}">${moment.format(receivedAt)} UTC</time>`

const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }
const escapeHtml = (text: string): string => text.replaceAll(/[&<>"']/g, (char) => entities[char]!)
