/** A docs page as the build passes it to the template. Addresses within the site start with /docs. */
export interface DocsPage {
  path: string
  title: string
  description: string
  /** Its group in the sidebar; null for pages that are only linked. */
  group: string | null
  /** Its name in the sidebar. */
  label: string
  /** Content below the title, rendered from Markdown at build time. */
  html: string
  headings: { id: string; text: string }[]
}

/** Hashed URLs of the page's assets, from Vite's manifest. */
export interface DocsAssets {
  script: string
  styles: string[]
  preloads: string[]
}

/**
 * Placeholder for the installation's origin, which is known only when the page is served. Others are `%DOCS%`,
 * `%PRICING%`, `%SUPPORT%`, `%SALES%`, `%SOURCE%`, `%SOCIAL_<ID>%`, and pairs of comments around optional parts.
 */
export const ORIGIN = '%ORIGIN%'
