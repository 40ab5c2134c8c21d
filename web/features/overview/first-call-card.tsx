import { useQuery } from '@tanstack/react-query'
import { maskKey } from '../../lib/mask.ts'
import { useSettings } from '../../lib/settings.ts'
import { Card } from '../../ui/card.tsx'
import { CodeBlock } from '../../ui/code-block.tsx'
import { CopyTextButton } from '../../ui/copy/copy-text-button.tsx'
import { Segments } from '../../ui/segments.tsx'
import { Loading, Skeleton } from '../../ui/skeleton.tsx'
import { isWholeKey, keysQuery } from '../keys/queries.ts'
import { copyable, firstCallPath, languageName, languagePlace, languages, snippet } from '../snippets/snippets.ts'
import { useLanguage } from '../snippets/use-language.ts'
import { overviewText as text } from './text.ts'

const placeholder = 'YOUR_API_KEY'
const options = languages.map((value) => ({ value, label: languageName[value] }))

/**
 * A call that works as shown: it contains the first key, masked on the screen and copied in full. `again`: the keys
 * have been used before.
 */
export function FirstCallCard({ again }: { again: boolean }) {
  const { publicUrl } = useSettings()
  const { data: keys, isPending, isError } = useQuery(keysQuery)
  const [language, choose] = useLanguage()
  const first = keys?.[0]?.unkey
  const key = first && isWholeKey(first) ? first : null
  const url = publicUrl + firstCallPath
  return (
    <Card
      title={again ? text.nextCall : text.firstCall}
      about={again ? text.nextCallAbout : text.firstCallAbout}
      aside={<Segments label="Language" look="frame" value={language} options={options} onChange={choose} />}
    >
      {isPending ? (
        <Loading label="Loading API keys...">
          <Skeleton className="h-32 w-full" />
        </Loading>
      ) : (
        <CodeBlock
          label={languagePlace[language]}
          wrap
          code={snippet(language, url, key ? maskKey(key) : placeholder)}
        />
      )}
      <div className="mt-3 flex flex-wrap items-center gap-x-3 gap-y-2">
        <CopyTextButton
          look="primary"
          disabled={!first}
          value={copyable(language, snippet(language, url, key ?? placeholder))}
          label={language === 'curl' ? text.copyCommand : text.copyCode}
          done={language === 'curl' ? text.commandCopied : text.codeCopied}
        />
        {!isPending && (
          <span className="text-muted">
            {key ? text.keyIncluded : isError && !keys ? text.keysUnknown : text.keyNeeded}
          </span>
        )}
      </div>
    </Card>
  )
}
