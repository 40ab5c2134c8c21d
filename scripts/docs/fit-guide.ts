/** What a shop sells, as far as guides depend on it. */
export interface Sold {
  /** The tables of market data that come with the product. */
  market: boolean
  /** The tools that only show how calls work. */
  examples: boolean
  /** The demonstration data. */
  data: boolean
  /** The key `demo`. */
  demo: boolean
  /** Paths of guides to what is not sold. */
  without: readonly string[]
}

const PART = /\{\{([#^])(market|examples|data|demo)\}\}\n?([\s\S]*?)\{\{\/\2\}\}\n?/g

/**
 * A guide for what is sold: `{{#market}}...{{/market}}` stays where it is, `{{^market}}...{{/market}}` where it is not, and `{{path}}` is
 * a call that can be made.
 */
export function fitGuide(markdown: string, sold: Sold, path: string): string {
  const fitted = markdown.replaceAll(PART, (_, sign: string, name: Exclude<keyof Sold, 'without'>, inner: string) =>
    sold[name] === (sign === '#') ? fitGuide(inner, sold, path) : '',
  )
  return fitted.replaceAll('{{path}}', () => path)
}
