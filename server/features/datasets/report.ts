const MAX_EXAMPLES = 10

export interface Finding {
  code: string
  severity: 'error' | 'warning'
  count: number
  /** Each names its place: file, row, column. */
  examples: string[]
}

/** The findings of an import. Errors block publishing; warnings are for a human to read. */
export interface Report {
  dataset: string
  rows: number
  findings: Finding[]
}

/** Collects findings by code with a few examples each, so that a million errors are one line. */
export class Findings {
  readonly #byCode = new Map<string, Finding>()

  error(code: string, example: string): void {
    this.#add('error', code, example)
  }

  warn(code: string, example: string): void {
    this.#add('warning', code, example)
  }

  get list(): Finding[] {
    return [...this.#byCode.values()]
  }

  get errors(): number {
    return this.list.reduce((sum, { severity, count }) => sum + (severity === 'error' ? count : 0), 0)
  }

  #add(severity: Finding['severity'], code: string, example: string): void {
    const finding = this.#byCode.get(code)
    if (!finding) this.#byCode.set(code, { code, severity, count: 1, examples: [example] })
    else {
      finding.count += 1
      if (finding.examples.length < MAX_EXAMPLES) finding.examples.push(example)
    }
  }
}

/** The report as lines for a terminal. */
export function reportLines({ dataset, rows, findings }: Report): string[] {
  const lines = [`${dataset}: ${rows.toLocaleString('en-US')} rows`]
  for (const { code, severity, count, examples } of findings) {
    lines.push(`  ${severity} ${code} (${count.toLocaleString('en-US')})`)
    for (const example of examples) lines.push(`    ${example}`)
    if (count > examples.length) lines.push(`    and ${(count - examples.length).toLocaleString('en-US')} more`)
  }
  if (findings.length === 0) lines.push('  no problems found')
  return lines
}
