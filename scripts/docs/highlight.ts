import { createCssVariablesTheme, createHighlighter } from 'shiki'

const theme = createCssVariablesTheme({ name: 'finmeter', variablePrefix: '--t-', variableDefaults: {} })
const languages = ['bash', 'typescript', 'python', 'json', 'http', 'toml', 'yaml', 'sql', 'csv'] as const

/** Colors code at build time: `(code, language)` to the inside of a `<code>`. Unknown languages stay plain. */
export async function createCodeColoring(): Promise<(code: string, language: string) => string> {
  const highlighter = await createHighlighter({ themes: [theme], langs: [...languages] })
  return (code, language) => {
    const lang = (languages as readonly string[]).includes(language) ? language : 'text'
    return (
      highlighter
        .codeToHtml(code, { lang, theme: 'finmeter', structure: 'inline' })
        // The colors are classes of our own style sheet, so that they follow the theme and cost few bytes.
        .replaceAll('<br>', '\n')
        .replaceAll(/ style="color:var\(--t-token-([a-z-]+)\)"/g, ' class="t-$1"')
        .replaceAll(/<span style="[^"]*">([^<]*)<\/span>/g, '$1')
    )
  }
}
