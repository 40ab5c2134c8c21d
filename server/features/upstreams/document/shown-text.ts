import { HIDDEN } from '../../../hidden-characters.ts'

/** A description written by others, as it is shown: hidden characters marked, cut at `most` characters. */
export function shownText(text: string, most: number): string {
  const marked = text.replaceAll('\r\n', '\n').replace(HIDDEN, '\uFFFD').trim()
  return marked.length > most ? `${marked.slice(0, most - 1)}…` : marked
}
