import { formatCurrency, formatWhole } from '../../lib/format.ts'
import type { PlanFacts } from '../pricing/plan-facts.ts'

export interface Question {
  question: string
  answer: string
}

export interface QuestionCategory {
  name: string
  questions: readonly Question[]
}

/** The plans that the answers name, as the specification words them. */
export const writtenPlans = { freeRequests: 1000, proRequests: 10_000, proPriceCents: 1900 }

/** Five categories with four questions each; the numbers of the plans are those of `facts`. */
export function questionCategories(facts: PlanFacts): QuestionCategory[] {
  const free = formatWhole(facts.freeRequests)
  const pro = formatWhole(facts.proRequests)
  return [
    {
      name: 'Getting Started',
      questions: [
        {
          question: 'How do I get an API key?',
          answer:
            'Sign in with Google or GitHub and redeem the free plan on the Overview page. Your first API key is created with it and stands in the API Keys card, ready to copy.',
        },
        {
          question: 'Do I need a credit card to start?',
          answer:
            'No. The free plan is redeemed with one click and never asks for a card. You enter one only when you choose a paid plan or buy credits.',
        },
        {
          question: 'How do I make my first request?',
          answer:
            'Copy the command on the Overview page: your key is already in it. Paste it into a terminal and the answer states what it cost and what is left.',
        },
        {
          question: 'How do I connect an AI client?',
          answer:
            'Copy the connection URL of the Remote MCP card and add it to your client as a remote MCP server. Ready-made configuration for Claude, Cursor, VS Code, ChatGPT and others stands beside it.',
        },
      ],
    },
    {
      name: 'Billing & Plans',
      questions: [
        {
          question: 'How many requests does each plan include?',
          answer: `The Free plan includes ${free} requests/month and the Pro plan includes ${pro} requests/month${facts.replaced ? ` at ${formatCurrency(facts.proPriceCents / 100)}/month` : ''}. Pay-as-you-go has no included requests: each 100 cost $0.01, with a $1.00/month minimum.`,
        },
        {
          question: 'What is your refund policy?',
          answer:
            'Annual plans have a 30-day money-back guarantee. Monthly plans are not refundable; you can cancel them at any time and keep them until the period ends.',
        },
        {
          question: 'Can I change or cancel my plan?',
          answer:
            'Yes, at any time, under Manage Billing on the Billing page. An upgrade takes effect at once, a downgrade or a cancellation at the end of the period that you have paid for.',
        },
        {
          question: 'Is there a free trial of paid plans?',
          answer:
            'Paid plans begin with a 14-day free trial, once for each account. You are charged when it ends unless you cancel before.',
        },
      ],
    },
    {
      name: 'API Usage',
      questions: [
        {
          question: 'What is a credit?',
          answer:
            'One credit pays for one ordinary request. Endpoints that return much data state a higher price in the reference, and every answer names its charge in the X-Credits-Charged header.',
        },
        {
          question: 'Are failed requests charged?',
          answer:
            'No. An error of any kind costs nothing, whether the mistake is yours or ours. Only answers that carry data are charged.',
        },
        {
          question: 'What happens when my credits run out?',
          answer:
            'Requests are answered with 402 and a link to top up, until the next period begins or you buy more. With pay-as-you-go they continue at $0.01 per 100 requests, up to the spend cap that you set.',
        },
        {
          question: 'Are there rate limits?',
          answer:
            'Yes, for each account and minute: 120 requests on the Free plan, 1,200 on Pro and 3,000 on pay-as-you-go. Every answer states the limit and what is left of it in the RateLimit headers.',
        },
      ],
    },
    {
      name: 'Security',
      questions: [
        {
          question: 'How are API keys stored?',
          answer:
            'As a SHA-256 hash for verification, and encrypted with AES-256-GCM so that you can reveal a key again. A key never appears in logs, errors or metrics, and every reveal is written to the audit log.',
        },
        {
          question: 'What should I do if a key leaks?',
          answer:
            'Delete it on its page. It is refused everywhere within a quarter of a second. Your credits belong to the workspace, not to the key, so nothing is lost.',
        },
        {
          question: 'Do you see my payment details?',
          answer:
            'No. Payments run on pages of the payment provider. We keep its reference to your account and the invoices, never a card number.',
        },
        {
          question: 'Can I sign in with a password?',
          answer:
            'No, only with Google or GitHub, so there is no password here that could be stolen. You can add a second factor to your account.',
        },
      ],
    },
    {
      name: 'Technical Support',
      questions: [
        {
          question: 'How do I contact support?',
          answer:
            'Write to the address at the end of this page. Include the request id of the answer in question; it is in the X-Request-Id header and in every error.',
        },
        {
          question: 'How fast do you respond?',
          answer:
            'Priority support, which is part of the Pro plan, responds within 1 hour. Other questions are answered in the order in which they arrive.',
        },
        {
          question: 'Which languages and clients are supported?',
          answer:
            'Any that speak HTTP. The reference has examples for curl, TypeScript and Python, and the OpenAPI document generates clients for others. AI clients connect over the Model Context Protocol.',
        },
        {
          question: 'Can I run this platform myself?',
          answer:
            'Yes. It is open source and starts with one command on one machine. The documentation describes the way from there to production.',
        },
      ],
    },
  ]
}
