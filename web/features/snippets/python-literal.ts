/** JSON as a Python expression on one line. */
export function pythonLiteral(value: unknown): string {
  if (value === null) return 'None'
  if (typeof value === 'boolean') return value ? 'True' : 'False'
  if (Array.isArray(value)) return `[${value.map(pythonLiteral).join(', ')}]`
  if (typeof value === 'object')
    return `{${Object.entries(value as object)
      .map(([name, item]) => `${JSON.stringify(name)}: ${pythonLiteral(item)}`)
      .join(', ')}}`
  return JSON.stringify(value)
}
