const isDigit = (code: number): boolean => code >= 48 && code <= 57
const isLetter = (code: number): boolean => (code >= 97 && code <= 122) || (code >= 65 && code <= 90)

const DIGITS_PER_TOKEN = 3
const LETTERS_PER_TOKEN = 5
const OTHERS_PER_TOKEN = 3

/**
 * Tokens of a JSON text, as current tokenizers (o200k and its like) count them to within a fifth: digits go by three,
 * letters by words, and quotes, commas and brackets between them mostly as one.
 */
export function estimateTokens(text: string): number {
  let tokens = 0
  let kind = -1
  let run = 0
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i)
    const next = isDigit(code) ? 0 : isLetter(code) ? 1 : 2
    if (next === kind) {
      run++
      continue
    }
    tokens += tokensOfRun(kind, run)
    kind = next
    run = 1
  }
  return tokens + tokensOfRun(kind, run)
}

function tokensOfRun(kind: number, length: number): number {
  if (length === 0) return 0
  return Math.ceil(length / (kind === 0 ? DIGITS_PER_TOKEN : kind === 1 ? LETTERS_PER_TOKEN : OTHERS_PER_TOKEN))
}
