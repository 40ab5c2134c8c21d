/** Prints one line per check and counts failures. */
export interface Report {
  ok: (text: string) => void
  /** `text` says what is wrong and what to do, without secrets. */
  wrong: (text: string) => void
  /** Worth knowing, no failure. */
  note: (text: string) => void
  failures: () => number
}

export function createReport(print: (line: string) => void): Report {
  let failures = 0
  return {
    ok: (text) => print(`ok     ${text}`),
    wrong: (text) => {
      failures++
      print(`WRONG  ${text}`)
    },
    note: (text) => print(`note   ${text}`),
    failures: () => failures,
  }
}
