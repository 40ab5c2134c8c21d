import { execFileSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { temporaryFolder } from '#server/testing/temporary-folder.ts'
import { sectionsOf, tagText } from './changelog.ts'

const changelog = `# Changelog

Words before the first section.

## [Unreleased]

## [1.1.0] - 2026-03-02

### Added

- Quotes. See [the guide](docs/quotes.md).

### Fixed

- A sum.

## [1.0.0]

- The first one.

[1.1.0]: https://example.com/compare/v1.0.0...v1.1.0
`

test('sections are read with version, date and notes', () => {
  expect(sectionsOf(changelog)).toEqual([
    { version: 'Unreleased', date: null, notes: '' },
    {
      version: '1.1.0',
      date: '2026-03-02',
      notes: '### Added\n\n- Quotes. See [the guide](docs/quotes.md).\n\n### Fixed\n\n- A sum.',
    },
    { version: '1.0.0', date: null, notes: '- The first one.' },
  ])
})

test('git keeps the headings of the notes in the tag', () => {
  const cwd = temporaryFolder()
  const git = (args: string[], input?: string) => execFileSync('git', args, { cwd, input, encoding: 'utf8' })
  git(['init', '--quiet'])
  const person = ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.com']
  git([...person, 'commit', '--quiet', '--allow-empty', '--message=first'])
  const text = tagText(sectionsOf(changelog)[1]!)
  git([...person, 'tag', '--annotate', 'v1.1.0', '--cleanup=verbatim', '--file=-'], text)
  expect(git(['tag', '--list', '--format=%(contents)', 'v1.1.0'])).toBe(
    'Finmeter 1.1.0\n\n### Added\n\n- Quotes. See [the guide](docs/quotes.md).\n\n### Fixed\n\n- A sum.\n\n',
  )
})
