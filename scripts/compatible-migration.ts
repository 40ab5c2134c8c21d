/** Whether servers of the previous release keep working during and after a migration: deploy/UPGRADING.md. */
import { contractOf, releaseNumber } from '#server/db/schema-release.ts'

/** Statements that break older servers, each with an alternative. */
const breaking: [form: RegExp, what: string][] = [
  [/\bdrop (table|view|schema|type|function|procedure|sequence|materialized view)\b/, 'drops something'],
  [/\bdrop column\b/, 'drops a column'],
  [/\brename (column |to |constraint |\w+ to )/, 'renames something'],
  [/\balter (column )?\S+ (set data )?type\b/, 'changes the type of a column'],
  [/\balter (column )?\S+ set not null\b/, 'makes a column required'],
  [/\balter (column )?\S+ drop (default|identity|expression)\b/, 'takes a default away'],
  [
    /\badd (column )?(?!constraint\b)\S+ .*\bnot null\b(?!.*\b(default|generated)\b)/,
    'adds a required column without a default',
  ],
  [/\bcreate unique index\b/, 'demands that rows differ'],
  [/^truncate\b/, 'empties a table'],
]

/**
 * The statements of a migration that would break older servers, a sentence each. A contract step may have any of them once
 * the release that it names is published: `version` is the current one, which does not count while it is being released.
 */
export function compatibilityProblems(file: string, text: string, version: string, releasing: boolean): string[] {
  const contract = contractOf(text)
  if (contract !== null) {
    const present = releaseNumber(version)
    if (releasing ? contract < present : contract <= present) return []
    return [
      `${file} is the contract step of a release that is not out: servers of the release before still use what it removes`,
    ]
  }
  if (/^--\s*contract\b/m.test(text))
    return [`${file} has a contract line that is not of the form "-- contract: 1.2.3"`]
  const statements = text
    .replace(/--.*$/gm, '')
    .split(';')
    .map((statement) => statement.trim().replace(/\s+/g, ' ').toLowerCase())
  const created = statements.flatMap(
    (one) => /^create (?:unlogged )?table (?:if not exists )?([\w.]+)/.exec(one)?.[1] ?? [],
  )
  const dropped = statements.flatMap((one) => /\bdrop constraint (?:if exists )?(\w+)/.exec(one)?.[1] ?? [])
  return statements
    .filter((one) => !created.includes(tableOf(one)))
    .flatMap((one) => {
      const added = /\badd constraint (\w+)/.exec(one)?.[1]
      // A constraint that replaces another is assumed to allow more: reviewers must notice one that allows less.
      const narrows = added !== undefined && !dropped.includes(added)
      return [
        ...breaking.filter(([form]) => form.test(one)).map(([, what]) => what),
        ...(narrows ? ['adds a constraint'] : []),
      ]
    })
    .map((what) => `${file} ${what}, which breaks servers of the previous release: see deploy/UPGRADING.md`)
}

const tableOf = (statement: string): string =>
  /^(?:alter table (?:if exists )?(?:only )?|create unique index (?:\w+ )?on (?:only )?)([\w.]+)/.exec(
    statement,
  )?.[1] ?? ''
