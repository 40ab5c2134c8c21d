import type { RegisteredTool } from '../../server/features/tools/register-tool.ts'
import { docsCall } from './call-fields.ts'
import type { Sold } from './fit-guide.ts'
import { requestBlock } from './request-example.ts'
import { requestExample } from './request-of.ts'
import type { SourcePage } from './site-page.ts'
import { parameterTable, referencePath } from './tool-page.ts'

/** Stands for one line for each plan: `server/features/docs/with-plans.ts` writes them. */
export const PLANS = '%PLANS%'

/** The one page to start with: a call that runs in the page, and the four steps to an own key. `entry` has an example. */
export function startPage(entry: RegisteredTool, answer: string[], sold: Sold): SourcePage {
  const { tool } = entry
  const whole = docsCall(entry)!
  const fields = whole.fields.filter(({ example, isRequired }) => isRequired || example !== '')
  const cost = tool.credits.kind === 'fixed' ? tool.credits.credits : 1
  return {
    path: '/docs/getting-started',
    title: 'Quick start',
    description: 'Getting started takes four steps and about a minute: account, plan, key, first request.',
    group: 'Guides',
    label: 'Quick start',
    names: 'quickstart, getting started, first request, hello world, curl, python, typescript, javascript',
    call: { ...whole, fields },
    markdown: [
      sold.demo
        ? 'Press **Run**: this call works now, without an account. The key `demo` makes it, [up to 30 times a minute](/docs/authentication#without-your-own-key). With your own key, everything else works, too.'
        : 'This is a whole call. With a key of your own, press **Run** to make it here.',
      '## Request',
      requestBlock(requestExample(tool)!),
      '## Parameters',
      parameterTable(entry, new Set(fields.map(({ name }) => name))),
      // What the headers say of its cost is in the last step.
      ...answer.slice(0, 3),
      '## 1. Create an account via GitHub',
      '[Log in](/login) and approve once. This creates your account and a personal workspace, with no form to fill in.',
      '## 2. Choose a plan',
      sold.named
        ? 'Choose one on the [Overview](/dashboard) page. [Pricing](/docs/pricing) compares them:'
        : 'On the [Overview](/dashboard) page, redeem the free plan with one click, without a card. [Pricing](/docs/pricing) compares the plans:',
      `- ${PLANS}`,
      '## 3. Generate an API key',
      'A plan comes with your first key. Create more on the [API Keys](/dashboard/api-keys) page, one for each program.',
      '## 4. Make your first request',
      'Run [the request](#request) here, or copy it into a terminal: once you are logged in, your key is already in it. The headers of the response say what it cost:',
      `\`\`\`http\nX-Credits-Charged: ${cost}\nX-Credits-Remaining: ${1_000 - cost}\nX-Receipt-Id: rcpt_…\n\`\`\``,
      `The [Overview](/dashboard) page shows the call within a second. The receipt ID finds it in the usage log. [${tool.title}](${referencePath(tool)}) has all parameters, the price and the errors of this call.`,
      sold.data
        ? '> The demonstration data are not live. Oil, gold, interest rates, prices and exchange rates reach the summer of 2026; stock prices are samples that end between 2012 and 2020. Every response has its last date in `meta.as_of`.'
        : '',
      '## Next steps',
      '- [Connect an AI client](/docs/mcp-clients): the same key works for the MCP server.\n- [Credits and limits](/docs/credits-and-limits): what calls cost, and how to retry without a second charge.\n- [API reference](/docs/reference): every endpoint, with its price and a request that you can run.\n- [Frequently asked questions](/docs/faq)',
    ]
      .filter(Boolean)
      .join('\n\n'),
  }
}
