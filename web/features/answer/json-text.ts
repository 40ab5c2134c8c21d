const widthOfLine = 100
const widthOfRow = 400

/** JSON with what fits on one line on one line, so that each row of a table is one. */
export function jsonText(value: unknown, indent = ''): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null'
  if (indent !== '' && Object.values(value).every((one) => typeof one !== 'object' || one === null)) {
    const line = inOneLine(value)
    if (line.length <= (Array.isArray(value) || !hasLongText(value) ? widthOfRow : widthOfLine)) return line
  }
  const inside = `${indent}  `
  const parts = Array.isArray(value)
    ? value.map((one) => inside + jsonText(one, inside))
    : Object.entries(value).map(([name, one]) => `${inside}${JSON.stringify(name)}: ${jsonText(one, inside)}`)
  const [open, close] = Array.isArray(value) ? '[]' : '{}'
  return parts.length === 0 ? `${open}${close}` : `${open}\n${parts.join(',\n')}\n${indent}${close}`
}

const hasLongText = (value: object) => Object.values(value).some((one) => typeof one === 'string' && one.length > 40)

function inOneLine(value: object): string {
  if (Array.isArray(value)) return `[${value.map((one) => JSON.stringify(one)).join(', ')}]`
  const fields = Object.entries(value).map(([name, one]) => `${JSON.stringify(name)}: ${JSON.stringify(one)}`)
  return fields.length === 0 ? '{}' : `{ ${fields.join(', ')} }`
}
