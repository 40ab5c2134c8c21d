/** What the build hands to the template: everything a page of the documentation shows. Addresses within the site begin with /docs. */
export interface DocsPage {
  path: string
  title: string
  description: string
  /** The group that the sidebar lists it in; null for pages that are reached by links only. */
  group: string | null
  /** Its name in the sidebar. */
  label: string
  /** Content below the title, made from Markdown at build time. */
  html: string
  headings: { id: string; text: string }[]
}

/** Hashed addresses of what a page loads, from Vite's manifest. */
export interface DocsAssets {
  script: string
  styles: string[]
  preloads: string[]
}

/**
 * Stands for the address of the installation, which is known only where the page is served. So do the other marks:
 * `%DOCS%`, `%PRICING%`, `%SUPPORT%`, `%SALES%`, `%SOURCE%`, `%SOCIAL_<ID>%`, and pairs of comments around what an installation
 * may not have.
 */
export const ORIGIN = '%ORIGIN%'
