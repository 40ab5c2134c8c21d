/** What the build writes where a list has one line for each plan. */
const LINE = /^(- |<li>)%PLANS%(<\/li>)?$/gm

/** A text with a line for each plan; of HTML, they are escaped. */
export const withPlans = (text: string, lines: readonly string[]): string =>
  text.replaceAll(LINE, (_, before: string, after = '') => lines.map((line) => before + line + after).join('\n'))

/** Where llms.txt lists the page of prices. */
const PRICING = /^(- \[[^\]]*\]\(\S+\/docs\/pricing\.md\): ).*$/m

/** llms.txt with the plans of this shop beside the page of prices. */
export const withPrices = (text: string, lines: readonly string[]): string =>
  lines.length === 0 ? text : text.replace(PRICING, (_, before: string) => `${before}${lines.join('; ')}.`)
