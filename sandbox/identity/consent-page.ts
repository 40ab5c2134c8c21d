import { createHash } from 'node:crypto'
import type { FastifyReply } from 'fastify'
import type { Face } from './authorization.ts'
import { style } from './consent-style.ts'
import { emailAt, hintedPerson, type Person, samplePeople } from './people.ts'

// No form-action: browsers also apply it to the redirect after the form, which goes to the application.
const POLICY = `default-src 'none'; style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'; font-src 'self'; base-uri 'none'; frame-ancestors 'none'`

export interface ConsentPage {
  face: Face
  /** Identifies the request while the person decides; only the page itself has it. */
  requestId: string
  scopes: string[]
  /** The account that the client suggests. */
  hint: string
  mistake?: string
}

/** Asks for the account to sign in with. Works without scripts; fills in the hinted address, else the first person's. */
export function sendConsentPage(
  reply: FastifyReply,
  { face, requestId, scopes, hint, mistake }: ConsentPage,
): FastifyReply {
  const action = `/sandbox/identity/${face.provider}${face.authorizePath}/decision`
  const hinted = hintedPerson(hint, face.provider)
  const chosen = hinted ?? samplePeople[0]
  const name = escapeHtml(face.client.name())
  const hidden = `<input type="hidden" name="request" value="${requestId}">`
  const typed = (hinted || !hint ? emailAt(chosen, face.provider) : hint) ?? ''
  return send(
    reply,
    mistake ? 400 : 200,
    `Sign in with ${face.label} (sandbox)`,
    `
<header><span class="badge">SANDBOX</span><p>An imitation of ${face.label} on this machine. Nothing is sent to ${face.label}.</p></header>
<h1>Sign in to ${name}</h1>
<p class="quiet">${name} asks ${face.label} for ${scopes.map((name) => `<code>${escapeHtml(name)}</code>`).join(' ') || 'your public profile'}.</p>
<form method="post" action="${action}">${hidden}
<label for="email">Email address</label>
<input id="email" name="email" type="email" required autocomplete="off" placeholder="name@example.com" value="${escapeHtml(typed)}"${mistake ? ' aria-invalid="true" aria-describedby="mistake" autofocus' : ' aria-describedby="any"'}>
${mistake ? `<p id="mistake" class="mistake" role="alert">${escapeHtml(mistake)}</p>` : '<p id="any" class="quiet">Any address works. An account is made up for it.</p>'}
<div class="actions"><button name="decision" value="allow" class="primary"${mistake ? '' : ' autofocus'}>Allow</button><button name="decision" value="deny" formnovalidate>Deny</button></div>
</form>
<details${hinted && hinted !== samplePeople[0] ? ' open' : ''}><summary>Test cases</summary>
<form method="post" action="${action}">${hidden}
<fieldset aria-label="Test cases">${samplePeople.map((person) => choice(person, face.provider, person === chosen)).join('')}</fieldset>
<button name="decision" value="allow">Sign in as the test case</button>
</form></details>`,
  )
}

/** An error page, where the real provider shows one instead of redirecting. */
export function sendErrorPage(
  reply: FastifyReply,
  label: string,
  status: number,
  code: string,
  text: string,
): FastifyReply {
  return send(
    reply,
    status,
    `Error ${status}: ${code}`,
    `
<header><span class="badge">SANDBOX</span><p>An imitation of ${label} on this machine.</p></header>
<h1>Error ${status}: ${escapeHtml(code)}</h1><p>${escapeHtml(text)}</p>`,
  )
}

function choice(person: Person, provider: Face['provider'], checked: boolean): string {
  return `<label class="person"><input type="radio" name="person" value="${person.id}"${checked ? ' checked' : ''}>
<span><strong>${escapeHtml(person.name)}</strong> <span class="email">${escapeHtml(emailAt(person, provider) ?? 'no email')}</span><span class="quiet">${escapeHtml(person.about)}</span></span></label>`
}

function send(reply: FastifyReply, status: number, title: string, body: string): FastifyReply {
  return reply
    .code(status)
    .headers({ 'content-security-policy': POLICY, 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' })
    .type('text/html; charset=utf-8')
    .send(`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><meta name="color-scheme" content="light dark"><meta name="robots" content="noindex"><title>${escapeHtml(title)}</title><style>${style}</style></head>
<body><main>${body}</main></body></html>`)
}

const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }
const escapeHtml = (text: string): string => text.replaceAll(/[&<>"']/g, (char) => entities[char]!)
