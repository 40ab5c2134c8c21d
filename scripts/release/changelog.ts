/** One section of CHANGELOG.md: its date as YYYY-MM-DD (null: none is given) and its text without the heading. */
export interface Section {
  version: string
  date: string | null
  notes: string
}

/** The sections of a changelog in the form of keepachangelog.com, newest first, `Unreleased` included. */
export function sectionsOf(changelog: string): Section[] {
  // Link definitions at the end belong to the page, not to its last section.
  const text = changelog.replace(/^\[[^\]]+\]: \S+$/gm, '')
  return text
    .split(/^## /m)
    .slice(1)
    .map((section) => {
      const [heading = '', ...lines] = section.split('\n')
      const [, version = heading.trim(), date = null] =
        /^\[([^\]]+)\](?: - (\d{4}-\d{2}-\d{2}))?\s*$/.exec(heading) ?? []
      return { version, date, notes: lines.join('\n').trim() }
    })
}

/** The text of the annotated tag: a subject, an empty line, the notes. */
export function tagText({ version, notes }: Section): string {
  return `Finmeter ${version}\n\n${notes}\n`
}
