import type { RegisteredTool } from '../../server/features/tools/register-tool.ts'
import { landingCards, landingLinks } from '../../web/docs/landing-links.ts'
import type { ListedPage } from '../../web/docs/page.ts'
import { requestBlock } from './request-example.ts'
import { requestExample } from './request-of.ts'
import type { SourcePage } from './site-page.ts'

/** Where the documentation starts: three cards, a call, then every page. `entry` has an example. */
export function landingPage(entry: RegisteredTool, answer: string[], pages: readonly ListedPage[]): SourcePage {
  const groups = Map.groupBy(pages, ({ group }) => group!)
  return {
    path: '/docs',
    title: 'Documentation',
    description: 'One key for the REST API and the MCP tool server. Every response states its cost.',
    group: null,
    label: 'Documentation',
    markdown: [
      list(landingCards),
      '## Request',
      requestBlock(requestExample(entry.tool)!),
      ...answer,
      '## More',
      list(landingLinks),
      ...[...groups].flatMap(([group, members]) => [
        `## ${group}`,
        list(members.map(({ path, title, description }) => ({ href: path, title, about: description }))),
      ]),
    ].join('\n\n'),
  }
}

const list = (links: readonly { title: string; about: string; href: string }[]): string =>
  links.map(({ title, about, href }) => `- [${title}](${href}): ${about}`).join('\n')
