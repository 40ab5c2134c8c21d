import { writeFileSync } from 'node:fs'
import type { Reporter } from 'vitest/node'

/** The outcome of one runner, for `scripts/test.ts`. */
export interface RunReport {
  passed: number
  /** Tests that did not run, such as those that need a key. */
  skipped: number
  /** `file > test: first line of the message`, one per failed test or file, and one per error outside a test. */
  failures: string[]
}

/** Writes a `RunReport` as JSON to the file named by FINMETER_TEST_REPORT, so that the end of the output can name each failure. */
export default class FailureReporter implements Reporter {
  onTestRunEnd(...[modules, unhandled]: Parameters<NonNullable<Reporter['onTestRunEnd']>>): void {
    const report: RunReport = { passed: 0, skipped: 0, failures: [] }
    for (const module of modules) {
      for (const error of module.errors()) report.failures.push(`${module.moduleId}: ${firstLine(error)}`)
      for (const test of module.children.allTests()) {
        const name = `${module.relativeModuleId} > ${test.fullName}`
        const { state, errors } = test.result()
        if (state === 'failed') report.failures.push(`${name}: ${firstLine(errors?.[0])}`)
        if (state === 'skipped') report.skipped += 1
        if (state === 'passed') report.passed += 1
      }
    }
    for (const error of unhandled) report.failures.push(`outside every test: ${error.stack ?? firstLine(error)}`)
    const file = process.env.FINMETER_TEST_REPORT
    if (file) writeFileSync(file, JSON.stringify(report))
  }
}

function firstLine(error: { message?: string } | undefined): string {
  return (error?.message ?? 'no message').split('\n', 1)[0] ?? ''
}
