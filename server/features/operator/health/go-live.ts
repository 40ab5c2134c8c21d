import { sql } from 'kysely'
import type { z } from 'zod'
import type { healthRoutes } from '#contract/operator/health-routes.ts'
import type { Deps } from '../../../deps.ts'
import { isNamed } from '../../shop/shop.ts'

type Item = z.input<typeof healthRoutes.getGoLive.data>['items'][number]

interface Facts {
  events: boolean
  mails: boolean
  factor: boolean
  drill: Date | null
}

const taxFound = {
  off: 'Not configured.',
  stripe: 'Stripe Tax computes it.',
  rates: 'Your own rates at Stripe, by country.',
}

/** A drill counts for this long. */
const DRILL_DAYS = 90

/** What an installation needs before it sells, each looked up now. */
export async function readGoLive({ config, db, shop, stripe }: Deps): Promise<Item[]> {
  const { rows } = await sql<Facts>`
    select exists (select from stripe_events) as events,
      exists (select from mail_log where state = 'sent') as mails,
      exists (select from operators o where o.role = 'owner' and (
        exists (select from auth.mfa_factors f where f.user_id = o.user_id and f.status = 'verified')
        or exists (select from operator_sessions s where s.operator_id = o.id and s.proved_at is not null))) as factor,
      (select max(at) from backup_runs where kind = 'drill' and ok and at > app_now() - make_interval(days => ${DRILL_DAYS})) as drill`.execute(
    db.kysely,
  )
  const facts = rows[0]!
  const item = (key: string, label: string, done: boolean, found: string, todo: string): Item => ({
    key,
    label,
    done,
    found,
    todo: done ? null : todo,
  })
  const { google, github } = config.providers
  const clients = [google && !google.sandbox && 'Google', github && !github.sandbox && 'GitHub'].filter(Boolean)
  const signIn = config.AUTH_URL ? 'another service handles sign-in' : clients.join(' and ')
  const live = stripe?.mode === 'live'
  const { pages } = shop.current()
  const ownPages =
    (config.PRIVACY_FILE !== undefined || (isNamed(shop.current()) && pages.privacy !== undefined)) &&
    (config.TERMS_FILE !== undefined || (isNamed(shop.current()) && pages.terms !== undefined))
  return [
    item(
      'https',
      'HTTPS',
      config.PUBLIC_URL.startsWith('https:'),
      config.PUBLIC_URL,
      'Set PUBLIC_URL to the https address that customers open. deploy/README.md has a proxy with certificates.',
    ),
    item(
      'sign-in',
      'Real sign-in clients',
      signIn !== '',
      signIn || 'Sign-in is simulated or by email only.',
      'Create an OAuth client at Google or GitHub, and set its ID and secret.',
    ),
    item(
      'provider',
      'Payment provider key',
      live,
      live
        ? 'A live key.'
        : config.STRIPE_SECRET_KEY
          ? 'A key for test mode.'
          : 'No key: payments are simulated or off.',
      'Set STRIPE_SECRET_KEY to a live key and STRIPE_WEBHOOK_SECRET to the secret of its endpoint.',
    ),
    item(
      'webhook',
      'Payment provider webhook',
      live && facts.events,
      facts.events ? 'Events arrive.' : 'No event has arrived yet.',
      'Add the endpoint PUBLIC_URL/webhooks/stripe at the payment provider, and send a test event.',
    ),
    item(
      'mail',
      'Email delivery',
      config.SMTP_URL !== undefined && facts.mails,
      config.SMTP_URL
        ? facts.mails
          ? 'An email was accepted.'
          : 'No email was sent yet.'
        : 'Emails are not delivered.',
      'Set SMTP_URL and MAIL_FROM, then sign in by email once.',
    ),
    item(
      'legal',
      'Legal pages',
      ownPages,
      ownPages
        ? 'You have set your own privacy policy and terms.'
        : 'The privacy policy or the terms are still the built-in ones.',
      'Set PRIVACY_FILE and TERMS_FILE, or name the pages in shop.yaml.',
    ),
    item(
      'tax',
      'Tax',
      stripe !== null && stripe.taxes !== 'off',
      taxFound[stripe?.taxes ?? 'off'],
      'No tax is added to what is sold. Ask your tax adviser, then set TAXES: docs/operations/taxes.md says how.',
    ),
    item(
      'factor',
      'Owner with a second factor',
      facts.factor,
      facts.factor ? 'Yes.' : 'No owner has a second factor.',
      'Sign in as an owner, and add two-factor authentication in the security settings. Add a second factor as a spare.',
    ),
    item(
      'backup',
      'Restore drill',
      facts.drill !== null,
      facts.drill
        ? `Restored and checked on ${facts.drill.toISOString().slice(0, 10)}.`
        : `No drill in the last ${DRILL_DAYS} days.`,
      'Run npm run backup, then npm run restore -- --drill with its folder, on a machine that can reach the database.',
    ),
    item(
      'sandbox',
      'Sandbox off',
      !config.sandbox,
      config.sandbox ? 'Anyone can sign in as anyone.' : 'Off.',
      'Set NODE_ENV=production, or SANDBOX=off.',
    ),
  ]
}
