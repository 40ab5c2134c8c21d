import { z } from 'zod'
import { flag, setting, url } from './setting.ts'

/** How plans and credits are sold. */
export const billingSettings = {
  STRIPE_SECRET_KEY: setting(
    z
      .string()
      .regex(/^[sr]k_(test|live)_\w+$/)
      .optional(),
    'Sells plans through Stripe. Absent: the sandbox is used where SANDBOX is on; else only the free plan is offered.',
    'a secret or restricted key that begins with sk_test_, sk_live_, rk_test_ or rk_live_',
  ),
  STRIPE_WEBHOOK_SECRET: setting(
    z
      .string()
      .regex(/^whsec_\S+$/)
      .optional(),
    'Signing secret of the webhook endpoint PUBLIC_URL/webhooks/stripe. Needed with STRIPE_SECRET_KEY.',
    'the signing secret of the endpoint, which begins with whsec_',
  ),
  STRIPE_URL: setting(
    url.optional(),
    'Another server that speaks the Stripe API. Default https://api.stripe.com.',
    'a URL',
  ),
  TAXES: setting(
    z.enum(['off', 'stripe', 'rates']).default('off'),
    'Who adds tax to what is sold. stripe: Stripe Tax, which needs your registrations there. rates: your own tax rates at Stripe, one for each country. See docs/operations/taxes.md.',
    'off, stripe or rates',
    'off',
  ),
  FREE_PLAN_PER_MAILBOX: setting(
    flag.default('on'),
    'Whether addresses of one mailbox get one free plan: what follows a plus is ignored, and at Gmail dots and googlemail.com too.',
    'on or off',
    'on',
  ),
}
