import { breakAddresses } from './break-addresses.ts'

const escapeHtml = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')

/** Each part is read twice at most, so that no text of others can keep the server busy. */
const PART =
  /(?<keyword>"(?:[^"\\\n]|\\.)*"(?=:)|\b(?:const|await|new|import|print)\b)|(?<string>"(?:[^"\\\n]|\\.)*"|'[^'\n]*')|(?<constant>\b(?:true|false|null|None|True|False|\d[\d.]*)\b)|(?<function>^curl\b)/gm

/** Colors the code of examples with the classes of the build's highlighter, whose grammars would be much for a server. */
export function plainColor(code: string): string {
  let end = 0
  let html = ''
  for (const match of code.matchAll(PART)) {
    const [kind] = Object.entries(match.groups!).find(([, text]) => text !== undefined)!
    html += `${escapeHtml(code.slice(end, match.index))}<span class="t-${kind}">${escapeHtml(match[0])}</span>`
    end = match.index + match[0].length
  }
  return breakAddresses(html + escapeHtml(code.slice(end)))
}
