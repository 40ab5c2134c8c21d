import { createCssVariablesTheme, createHighlighterCore } from '@shikijs/core'
import { createOnigurumaEngine } from '@shikijs/engine-oniguruma'
import { breakAddresses } from './break-addresses.ts'

const theme = createCssVariablesTheme({ name: 'finmeter', variablePrefix: '--t-', variableDefaults: {} })
const languages = {
  bash: import('@shikijs/langs/bash'),
  typescript: import('@shikijs/langs/typescript'),
  python: import('@shikijs/langs/python'),
  json: import('@shikijs/langs/json'),
  http: import('@shikijs/langs/http'),
  toml: import('@shikijs/langs/toml'),
  yaml: import('@shikijs/langs/yaml'),
  sql: import('@shikijs/langs/sql'),
  csv: import('@shikijs/langs/csv'),
}

/** Colors code at build time: `(code, language)` to the inside of a `<code>`. Unknown languages stay plain. */
export async function createCodeColoring(): Promise<(code: string, language: string) => string> {
  const highlighter = await createHighlighterCore({
    themes: [theme],
    langs: Object.values(languages),
    engine: createOnigurumaEngine(import('@shikijs/engine-oniguruma/wasm-inlined')),
  })
  return (code, language) => {
    const lang = Object.hasOwn(languages, language) ? language : 'text'
    const html = highlighter
      .codeToHtml(code, { lang, theme: 'finmeter', structure: 'inline' })
      // The colors are classes of our own style sheet, so that they follow the theme and cost few bytes.
      .replaceAll('<br>', '\n')
      .replaceAll(/ style="color:var\(--t-token-([a-z-]+)\)"/g, ' class="t-$1"')
      .replaceAll(/<span style="[^"]*">([^<]*)<\/span>/g, '$1')
    return breakAddresses(html)
  }
}
