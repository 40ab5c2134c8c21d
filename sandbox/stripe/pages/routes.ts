import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify'
import { type PortalConfiguration, portalSeconds } from '../billing/portal.ts'
import type { Body, CheckoutSession, Fields, Invoice } from '../objects/bodies.ts'
import type { Session, Surroundings } from '../objects/session.ts'
import { actOnCheckout, type Outcome, showCheckout, showClosed } from './checkout-page.ts'
import { actOnInvoice, invoicePdf, showInvoice } from './invoice-page.ts'
import { formToken, html, isFormToken, page } from './layout.ts'
import { actOnPortal, type Portal, showPortal } from './portal-page.ts'
import { stylesheet } from './style.ts'

type Run = <T>(work: (tx: Session) => Promise<T>) => Promise<T>
type Request = FastifyRequest<{ Params: { id: string }; Body: Fields | undefined }>

/** No scripts, no frames. No `form-action`: browsers also apply it to the redirect back to the shop. */
const policy =
  "default-src 'none'; style-src 'self'; font-src 'self'; img-src 'self' data:; base-uri 'none'; frame-ancestors 'none'"

/** A kind of page: how to find, show and act on its object. */
interface Kind<T> {
  path: string
  find: (tx: Session, id: string) => Promise<T | null>
  show: (tx: Session, object: T, token: string) => Promise<Outcome> | Outcome
  act: (tx: Session, object: T, token: string, given: Fields) => Promise<Outcome>
}

const checkout: Kind<CheckoutSession> = {
  path: '/sandbox/checkout/:id',
  find: (tx, id) => tx.maybe<CheckoutSession>(id, 'checkout.session'),
  show: (tx, session, token) =>
    session.status === 'open' && tx.now < session.expires_at
      ? showCheckout(tx, session, token, null)
      : showClosed(session),
  act: actOnCheckout,
}

async function invoiceBySecret(tx: Session, secret: string): Promise<Invoice | null> {
  const [invoice] = await tx.find<Invoice>('invoice', { _secret: secret })
  return invoice?.number ? tx.maybe<Invoice>(invoice.id) : null
}

const invoice: Kind<Invoice> = {
  path: '/sandbox/checkout/invoices/:id',
  find: invoiceBySecret,
  show: (_tx, object, token) => showInvoice(object, token, null),
  act: actOnInvoice,
}

const portal: Kind<Portal> = {
  path: '/sandbox/portal/:id',
  find: async (tx, id) => {
    const session = await tx.maybe<Body & { _opened: number }>(id, 'billing_portal.session')
    if (!session || tx.now > session._opened + portalSeconds) return null
    const configuration = await tx.get<PortalConfiguration>(
      'billing_portal.configuration',
      String(session.configuration),
    )
    return { session, configuration, customer: await tx.customer(String(session.customer)), token: '' }
  },
  show: (tx, object, token) => showPortal(tx, { ...object, token }, null),
  act: (tx, object, token, given) => actOnPortal(tx, { ...object, token }, given),
}

const missing = page(
  'Not found',
  html`<section><h1>Not found</h1><p>This page does not exist or has expired. Go back to the shop and open it again.</p></section>`,
)

function send(reply: FastifyReply, status: number, content: string): FastifyReply {
  const headers = {
    'content-security-policy': policy,
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
  }
  return reply.code(status).headers(headers).type('text/html; charset=utf-8').send(content)
}

function finish(reply: FastifyReply, outcome: Outcome): FastifyReply {
  return 'redirect' in outcome
    ? reply.redirect(outcome.redirect, 303)
    : send(reply, 200, page(outcome.title, outcome.body))
}

async function secretOf(tx: Session): Promise<string> {
  const { rows } = await tx.client.query<{ value: string }>(
    "select value from stripe_sandbox.settings where name = 'form_secret'",
  )
  return rows[0]?.value ?? ''
}

/** The hosted pages. An unguessable id opens a page; a token from the page authorizes its forms. */
export function sandboxPages(run: Run, around: Surroundings): FastifyPluginAsync {
  const origin = new URL(around.publicUrl).origin
  // A hosted editor forwards the port and rewrites Origin to localhost. The form's token is checked as well.
  const mayCome = (from: string | undefined) =>
    !from || from === origin || from === 'null' || /^http:\/\/localhost(:\d+)?$/.test(from)
  return async (app) => {
    app.removeContentTypeParser('application/x-www-form-urlencoded')
    app.addContentTypeParser(
      'application/x-www-form-urlencoded',
      { parseAs: 'string', bodyLimit: 16_384 },
      (_request, body, done) => done(null, Object.fromEntries(new URLSearchParams(body as string))),
    )
    const mount = <T>(kind: Kind<T>) => {
      app.get(kind.path, async (request: Request, reply) => {
        const outcome = await run(async (tx) => {
          const object = await kind.find(tx, request.params.id)
          return object && kind.show(tx, object, formToken(await secretOf(tx), request.params.id))
        })
        return outcome ? finish(reply, outcome) : send(reply, 404, missing)
      })
      app.post(kind.path, async (request: Request, reply) => {
        const { token, ...given } = request.body ?? {}
        const from = request.headers.origin
        const outcome = await run(async (tx) => {
          const secret = await secretOf(tx)
          const object = await kind.find(tx, request.params.id)
          if (!object) return null
          if (!mayCome(from) || !isFormToken(token, secret, request.params.id)) return 'forged' as const
          return kind.act(tx, object, formToken(secret, request.params.id), given)
        })
        if (outcome === 'forged')
          return send(
            reply,
            403,
            page(
              'Refused',
              html`<section><h1>Refused</h1><p>This form was not sent from its page. Open the page again and retry.</p></section>`,
            ),
          )
        return outcome ? finish(reply, outcome) : send(reply, 404, missing)
      })
    }
    app.get('/sandbox/checkout/style.css', async (_request, reply) =>
      reply.type('text/css; charset=utf-8').send(stylesheet),
    )
    mount(checkout)
    mount(invoice)
    mount(portal)
    app.get('/sandbox/checkout/invoices/:id/pdf', async (request: Request, reply) => {
      const found = await run((tx) => invoiceBySecret(tx, request.params.id))
      if (!found) return send(reply, 404, missing)
      const name = `inline; filename="invoice-${found.number}.pdf"`
      return reply
        .headers({ 'content-disposition': name, 'cache-control': 'no-store' })
        .type('application/pdf')
        .send(await invoicePdf(found))
    })
  }
}
