import { expect, test } from 'vitest'
import { type ReleaseState, releaseProblems } from './problems.ts'

/** A repository that can be released as 1.1.0. */
const ready = (): ReleaseState => ({
  version: '1.1.0',
  stated: { 'package-lock.json': '1.1.0', '/server.json': '1.1.0' },
  sections: [
    { version: 'Unreleased', date: null, notes: '' },
    { version: '1.1.0', date: '2026-03-02', notes: '- Quotes.' },
    { version: '1.0.0', date: '2026-01-05', notes: '- First.' },
  ],
  changedFiles: [],
  tags: ['v1.0.0'],
  oldPictures: false,
  released: '1.0.0',
  breaking: [],
})

test('a clean tree with a dated section can be released', () => {
  expect(releaseProblems(ready())).toEqual([])
})

test('a changelog needs no section of what is unreleased', () => {
  const state = ready()
  expect(releaseProblems({ ...state, sections: state.sections.slice(1) })).toEqual([])
})

test.each<[string, (state: ReleaseState) => void, string]>([
  ['a changed file', (s) => s.changedFiles.push(' M a.ts'), 'Commit or remove these changes first:\n   M a.ts'],
  [
    'another version in the lockfile',
    (s) => {
      s.stated['package-lock.json'] = '1.0.0'
    },
    'package-lock.json has version 1.0.0, package.json has 1.1.0',
  ],
  [
    'old pictures',
    (s) => {
      s.oldPictures = true
    },
    'The pictures are older than the screens: npm run pictures',
  ],
  ['a tag of that name', (s) => s.tags.push('v1.1.0'), 'v1.1.0 is tagged already; raise the version in package.json'],
  ['no section', (s) => s.sections.splice(1, 1), 'The newest section of CHANGELOG.md is 1.0.0; write one for 1.1.0'],
  ['no changelog', (s) => s.sections.splice(0), 'The newest section of CHANGELOG.md is missing; write one for 1.1.0'],
  [
    'a section without a date',
    (s) => {
      s.sections[1]!.date = null
    },
    'The section 1.1.0 of CHANGELOG.md needs a date: ## [1.1.0] - YYYY-MM-DD',
  ],
  [
    'a section without text',
    (s) => {
      s.sections[1]!.notes = ''
    },
    'The section 1.1.0 of CHANGELOG.md is empty',
  ],
  [
    'entries that no version has',
    (s) => {
      s.sections[0]!.notes = '- Later.'
    },
    'CHANGELOG.md has entries under Unreleased; move them to 1.1.0',
  ],
])('refused: %s', (_name, change, problem) => {
  const state = ready()
  change(state)
  expect(releaseProblems(state)).toEqual([problem])
})

test('a change that breaks clients: never in a minor version, in a major one if the changelog says so', () => {
  const state = { ...ready(), breaking: ['GET /v1/old was removed'] }
  expect(releaseProblems(state)).toEqual(['GET /v1/old was removed: this breaks clients of 1.0.0; deprecate it first'])
  const early = { ...state, released: '0.9.0' }
  const words = 'The API breaks clients of 0.9.0: say so under Changed or Removed. GET /v1/old was removed'
  expect(releaseProblems(early)).toEqual([words])
  early.sections[1]!.notes = '### Removed\n\n- GET /v1/old.'
  expect(releaseProblems(early)).toEqual([])
})

test('refused: a version with a suffix', () => {
  const state = ready()
  state.version = '1.1.0-rc.1'
  expect(releaseProblems(state)[0]).toBe('1.1.0-rc.1 is not a version such as 1.2.3')
})
