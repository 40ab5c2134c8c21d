/** The media ranges of an Accept header with their weights. */
const rangesOf = (accept: string): { range: string; weight: number }[] =>
  accept.split(',').map((part) => {
    const [range = '', ...parameters] = part.split(';').map((text) => text.trim().toLowerCase())
    const weight = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2)
    return { range, weight: weight === undefined ? 1 : Number(weight) || 0 }
  })

/**
 * Whether a client asks for Markdown: it names text/markdown and does not prefer HTML. Wildcards alone mean HTML, because
 * programs that send nothing else expect a page.
 */
export function prefersMarkdown(accept: string | undefined): boolean {
  const ranges = rangesOf(accept ?? '')
  const weightOf = (...names: string[]) =>
    names.map((name) => ranges.find(({ range }) => range === name)?.weight).find((weight) => weight !== undefined) ?? 0
  const markdown = weightOf('text/markdown')
  return markdown > 0 && markdown >= weightOf('text/html', 'text/*', '*/*')
}
