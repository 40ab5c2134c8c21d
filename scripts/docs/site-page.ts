import type { DocsCall } from '../../web/docs/page.ts'

/** A page before it is rendered. `markdown` is the text below its title. */
export interface SourcePage {
  path: string
  title: string
  description: string
  group: string | null
  label: string
  markdown: string
  /** What readers also search it by: its name in code, a status, other words for its subject. */
  names?: string | undefined
  /** The call that can be made from the page. */
  call?: DocsCall | undefined
}
