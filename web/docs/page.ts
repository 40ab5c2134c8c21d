import type { FieldKind, FieldPlace } from './try/build-call.ts'

/** One parameter of a call as a form field. */
export interface CallField {
  name: string
  place: FieldPlace
  kind: FieldKind
  isRequired: boolean
  choices: string[] | null
  /** The API's default when the field is empty. */
  fallback: string | null
  /** Its value in the example; empty: none. */
  example: string
  aboutHtml: string
}

/** The call that a reference page documents. */
export interface DocsCall {
  tool: string
  method: string
  /** With its path parameters in braces. */
  path: string
  /** The field that is the whole body. */
  bodyInput?: string | undefined
  fields: CallField[]
  price: string
  /** Whether the demo key can make it. */
  isOpen: boolean
}

/** The HTML of a reference page in parts. */
export interface DocsColumns {
  intro: string
  heading: string
  /** Below the parameters. */
  notes: string
  request: string
  /** The response on the demonstration data, without its heading; empty if the build cannot make the call. */
  sample: string
  rest: string
}

/** A docs page as the build passes it to the template. Addresses within the site start with /docs. */
export interface DocsPage {
  path: string
  title: string
  description: string
  /** Its group in the sidebar; null for pages that are only linked. */
  group: string | null
  /** Its name in the sidebar. */
  label: string
  /** Content below the title, rendered from Markdown. */
  html: string
  headings: { id: string; text: string }[]
  /** The HTML of the call on the page where the documentation starts, which lists the other pages below. */
  landing?: { request: string; response: string } | undefined
  /** The call that can be made from the page. */
  call?: { form: DocsCall; columns: DocsColumns } | undefined
}

/** A page as others link to it. */
export type ListedPage = Pick<DocsPage, 'path' | 'title' | 'description' | 'group' | 'label'>

/** Hashed URLs of the page's assets, from Vite's manifest. */
export interface DocsAssets {
  script: string
  styles: string[]
  preloads: string[]
}

/**
 * Placeholder for the installation's origin, which is known only when the page is served. Others are `%SHOP%`, `%LOGO%`, `%ABOUT%`, `%DOCS%`,
 * `%PRICING%`, `%SUPPORT%`, `%SALES%`, `%SOURCE%`, `%SOCIAL_<ID>%`, and pairs of comments around optional parts.
 */
export const ORIGIN = '%ORIGIN%'
