import type { Section } from './changelog.ts'

/** The state of the repository that a release is checked against. */
export interface ReleaseState {
  version: string
  /** Every place that states a version, with the version there. */
  stated: Record<string, string | undefined>
  sections: Section[]
  /** Lines of `git status --porcelain`. */
  changedFiles: string[]
  tags: string[]
  /** Whether the screens have changed since the pictures of README were taken. */
  oldPictures: boolean
  /** The version whose API is recorded. */
  released: string
  /** What would break its clients. */
  breaking: string[]
}

/** Reasons not to release, each with a fix. Empty: it can be released. */
export function releaseProblems(state: ReleaseState): string[] {
  const { version, stated, sections, changedFiles, tags, oldPictures } = state
  const problems: string[] = []
  if (!/^\d+\.\d+\.\d+$/.test(version)) problems.push(`${version} is not a version such as 1.2.3`)
  if (changedFiles.length > 0)
    problems.push(`Commit or remove these changes first:\n  ${changedFiles.slice(0, 10).join('\n  ')}`)
  for (const [place, found] of Object.entries(stated)) {
    if (found !== version) problems.push(`${place} has version ${found ?? 'none'}, package.json has ${version}`)
  }
  if (tags.includes(`v${version}`)) problems.push(`v${version} is tagged already; raise the version in package.json`)
  if (oldPictures) problems.push('The pictures are older than the screens: npm run pictures')

  const [unreleased, newest] = sections[0]?.version === 'Unreleased' ? sections : [undefined, sections[0]]
  if (unreleased?.notes) problems.push(`CHANGELOG.md has entries under Unreleased; move them to ${version}`)
  if (newest?.version !== version)
    problems.push(`The newest section of CHANGELOG.md is ${newest?.version ?? 'missing'}; write one for ${version}`)
  else {
    if (!newest.date) problems.push(`The section ${version} of CHANGELOG.md needs a date: ## [${version}] - YYYY-MM-DD`)
    problems.push(...breakProblems(state, newest.notes))
    if (!newest.notes) problems.push(`The section ${version} of CHANGELOG.md is empty`)
  }
  return problems
}

/**
 * A patch breaks nobody. A major version may, and a minor one before 1.0; then the changelog must say so. Otherwise, deprecate first:
 * what was deprecated in a release may be missing in a later one.
 */
function breakProblems({ version, released, breaking }: ReleaseState, notes: string): string[] {
  if (breaking.length === 0) return []
  const [major, minor] = version.split('.').map(Number)
  const [oldMajor, oldMinor] = released.split('.').map(Number)
  const mayBreak = major !== oldMajor || (major === 0 && minor !== oldMinor)
  if (!mayBreak) return breaking.map((change) => `${change}: this breaks clients of ${released}; deprecate it first`)
  return /^### (Changed|Removed)$/m.test(notes)
    ? []
    : [`The API breaks clients of ${released}: say so under Changed or Removed. ${breaking.join('; ')}`]
}
