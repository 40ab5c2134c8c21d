import type { Plan } from '#contract/billing.ts'
import { formatMoney } from '#contract/currency.ts'
import { formatWhole } from '../../lib/format.ts'
import type { Settings } from '../../lib/settings.ts'
import { planFacts } from '../pricing/plan-facts.ts'
import { forNamedShop } from './named-questions.ts'

export interface Question {
  question: string
  answer: string
  /** The answer as the operator wrote it; `answer` then has its words. */
  html?: string
}

export interface QuestionCategory {
  name: string
  questions: readonly Question[]
}

/** The settings that decide answers. */
export type FaqSettings = Pick<Settings, 'passwords' | 'keysReveal'> & { shop: Pick<Settings['shop'], 'named'> }

/** Five categories with four questions each; plan numbers come from the catalog. A named shop has only what is true of every shop. */
export function questionCategories(plans: readonly Plan[] | null, settings: FaqSettings): QuestionCategory[] {
  const facts = planFacts(plans)
  const { passwords, keysReveal } = settings
  const free = formatWhole(facts.freeRequests)
  const pro = formatWhole(facts.proRequests)
  const categories = [
    {
      name: 'Getting Started',
      questions: [
        {
          question: 'How do I get an API key?',
          answer:
            'Log in with Google or GitHub and redeem the free plan on the Overview page. This creates your first API key, ready to copy in the API Keys card.',
        },
        {
          question: 'Do I need a credit card to start?',
          answer:
            'No. You redeem the free plan with one click, without a card. You enter one only when you choose a paid plan or buy credits.',
        },
        {
          question: 'How do I make my first request?',
          answer:
            'Copy the command on the Overview page: your key is already in it. Paste it into a terminal. The response shows what the call cost and how many credits are left.',
        },
        {
          question: 'How do I connect an AI client?',
          answer:
            'Copy the connection URL from the Remote MCP card and add it to your client as a remote MCP server. The card next to it has ready-made configuration for Claude, Cursor, VS Code, ChatGPT and others.',
        },
      ],
    },
    {
      name: 'Billing & Plans',
      questions: [
        {
          question: 'How many requests does each plan include?',
          answer: `The Free plan includes ${free} requests/month and the Pro plan includes ${pro} requests/month at ${formatMoney(facts.proPriceCents, facts.currency)}/month. Pay-as-you-go includes no requests: it costs $0.01 per 100 requests, with a $1.00/month minimum.`,
        },
        {
          question: 'What is your refund policy?',
          answer:
            'Annual plans have a 30-day money-back guarantee. Monthly plans are not refundable; you can cancel them at any time and keep them until the period ends.',
        },
        {
          question: 'Can I change or cancel my plan?',
          answer:
            'Yes, at any time, under Manage Billing on the Billing page. Upgrades take effect immediately, downgrades and cancellations at the end of the period you have paid for.',
        },
        {
          question: 'Is there a free trial of paid plans?',
          answer:
            'Paid plans start with a 14-day free trial, once per account. You are charged when it ends unless you cancel first.',
        },
      ],
    },
    {
      name: 'API Usage',
      questions: [
        {
          question: 'What is a credit?',
          answer:
            'One credit covers one standard request. Endpoints that return a lot of data cost more, as listed in the reference. Every response states its charge in the X-Credits-Charged header.',
        },
        {
          question: 'Are failed requests charged?',
          answer: 'No. Errors are free, whether the mistake is yours or ours. Only responses with data are charged.',
        },
        {
          question: 'What happens when my credits run out?',
          answer:
            'Requests return 402 with a link to top up until the next period starts or you buy more. With pay-as-you-go they continue at $0.01 per 100 requests, up to the spend cap you set.',
        },
        {
          question: 'Are there rate limits?',
          answer:
            'Yes, per account: 120 requests per minute on the Free plan, 1,200 on Pro and 3,000 on pay-as-you-go. Every response states the limit and what is left of it in the RateLimit headers.',
        },
      ],
    },
    {
      name: 'Security',
      questions: [
        {
          question: 'How are API keys stored?',
          answer:
            keysReveal === 'always'
              ? 'As a SHA-256 hash for verification, and encrypted with AES-256-GCM so that you can reveal a key again. Keys never appear in logs, errors or metrics, and every reveal is recorded in the audit log.'
              : 'Only as a SHA-256 hash, by which a key is verified. Its value is shown once, when it is created or rotated. Keys never appear in logs, errors or metrics.',
        },
        {
          question: 'What should I do if a key leaks?',
          answer:
            'Delete it on its page. It stops working everywhere within a quarter of a second. Credits belong to the workspace, not to the key, so you lose none.',
        },
        {
          question: 'Do you see my payment details?',
          answer:
            'No. You pay on pages of the payment provider. We store its reference for your account and your invoices, never a card number.',
        },
        {
          question: 'Can I log in with a password?',
          answer: passwords
            ? 'Yes, in applications that offer it. The login page here offers Google and GitHub. You can add two-factor authentication to your account.'
            : 'No. You log in with Google or GitHub, so there is no password to steal. You can add two-factor authentication to your account.',
        },
      ],
    },
    {
      name: 'Technical Support',
      questions: [
        {
          question: 'How do I contact support?',
          answer:
            'Email the address at the end of this page. Include the request ID, which is in the X-Request-Id header and in every error.',
        },
        {
          question: 'How fast do you respond?',
          answer:
            'Priority support, included in the Pro plan, responds within 1 hour. Other questions are answered in the order they arrive.',
        },
        {
          question: 'Which languages and clients are supported?',
          answer:
            'Any that can send HTTP requests. The reference has examples for curl, TypeScript and Python, and you can generate clients for other languages from the OpenAPI document. AI clients connect over the Model Context Protocol.',
        },
        {
          question: 'Can I run this platform myself?',
          answer:
            'Yes. It is open source and starts with one command. The documentation explains how to run it in production.',
        },
      ],
    },
  ]
  return settings.shop.named ? forNamedShop(categories, plans) : categories
}
