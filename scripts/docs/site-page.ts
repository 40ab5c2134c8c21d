/** A page before it is rendered. `markdown` is the text below its title. */
export interface SourcePage {
  path: string
  title: string
  description: string
  group: string | null
  label: string
  markdown: string
}
