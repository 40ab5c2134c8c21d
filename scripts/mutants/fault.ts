/** A deliberate fault in the product, and the tests that must fail on it. */
export interface Fault {
  id: string
  /** What a person would notice. */
  breaks: string
  file: string
  /** Stands exactly once in the file. */
  old: string
  new: string
  /** `file`, or `file: title of the test`. All of one runner: vitest, or Playwright for files of e2e/. */
  tests: string[]
}

/** A test of a fault: its file, and its title where only that test runs. */
export function testOf(named: string): { file: string; title: string | undefined } {
  const [, file = named, title] = /^(\S+?): (.+)$/.exec(named) ?? []
  return { file, title }
}

/** Whether the fault needs a browser, and so a new build of the web. */
export const inBrowser = ({ tests }: Pick<Fault, 'tests'>): boolean => tests.some((test) => test.startsWith('e2e/'))
