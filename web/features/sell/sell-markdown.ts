import { comparison, products, readSources } from './comparison-facts.ts'
import { sellText as text } from './text.ts'

/** The page for operators as Markdown. */
export function sellMarkdown(): string {
  const { ways, gets, charges, cost, not } = text
  return [
    text.about,
    terminal(
      `${text.start.code}\nnpm run upstream -- add openapi.yaml --id acme --base https://api.acme.example --price 1`,
    ),
    `## ${ways.title}\n\n${ways.about}`,
    terminal(ways.list.map(({ title, about, code }) => `# ${title}. ${about}\n${code}`).join('\n')),
    `## ${charges.title}`,
    table(
      [charges.outcome, charges.cost],
      charges.list.map(({ outcome, cost }) => [outcome, cost]),
    ),
    charges.prices,
    `## ${gets.title}`,
    list(gets.list.map(({ title, about }) => `**${title}**: ${about}`)),
    `## ${cost.title}\n\n${cost.own}: ${cost.about}`,
    `## ${text.comparison.title}\n\n${text.comparison.about}`,
    table(
      [text.comparison.question, ...products],
      comparison.map(({ question, answers }) => [question, ...answers]),
    ),
    `${readSources.before} ${readSources.sources.map(({ name, href }) => `[${name}](${href})`).join(', ')}. ${readSources.after}`,
    `## ${not.title}`,
    list(not.list),
    `[${text.guide}](/docs/self-hosting)`,
  ].join('\n\n')
}

const terminal = (code: string) => `\`\`\`bash\n${code}\n\`\`\``
const list = (items: readonly string[]) => items.map((item) => `- ${item}`).join('\n')
const table = (head: readonly string[], rows: readonly (readonly string[])[]) =>
  [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n')
