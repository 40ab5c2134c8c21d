/** What the build writes where a list has one line for each plan. */
const LINE = /^(- |<li>)%PLANS%(<\/li>)?$/gm

/** A text with a line for each plan; of HTML, they are escaped. */
export const withPlans = (text: string, lines: readonly string[]): string =>
  text.replaceAll(LINE, (_, before: string, after = '') => lines.map((line) => before + line + after).join('\n'))
