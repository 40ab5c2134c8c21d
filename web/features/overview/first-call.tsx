import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { lazy, type ReactNode, Suspense, useState } from 'react'
import type { ApiKey } from '#contract/keys.ts'
import { copyable } from '../../lib/clipboard.ts'
import { maskKey } from '../../lib/mask.ts'
import { useSettings } from '../../lib/settings.ts'
import { breakable } from '../../ui/breakable.tsx'
import { Button } from '../../ui/button.tsx'
import { CodeBlock } from '../../ui/code-block.tsx'
import { CopyTextButton } from '../../ui/copy/copy-text-button.tsx'
import { ExternalLink } from '../../ui/external-link.tsx'
import { TextField } from '../../ui/form/field.tsx'
import { Segments } from '../../ui/segments.tsx'
import { Loading, Skeleton } from '../../ui/skeleton.tsx'
import { useNewKey } from '../keys/new-key.ts'
import { isWholeKey, keysQuery } from '../keys/queries.ts'
import { useReadyCall } from '../keys/ready-call.ts'
import { code, shownLanguages } from '../snippets/code.ts'
import { languageName, languagePlace } from '../snippets/languages.ts'
import { useLanguage } from '../snippets/use-language.ts'
import { useMayManage } from '../workspaces/queries.ts'
import { firstCallText as text } from './text.ts'

const RestAnswer = lazy(() => import('../answer/rest-answer.tsx').then(({ RestAnswer }) => ({ default: RestAnswer })))

const placeholder = 'YOUR_API_KEY'
const optionsOf = () => shownLanguages().map((value) => ({ value, label: languageName[value] }))
/** The queries that a call makes stale. */
const counters = [['usage'], ['receipts'], ['billing', 'credits'], ['keys']]

/** The first key that works for REST, or the first one. */
const callKey = (keys: ApiKey[] | undefined): ApiKey | undefined =>
  keys?.find(({ scopes }) => !scopes || scopes.includes('rest')) ?? keys?.[0]

interface FirstCallProps {
  look: 'primary' | 'secondary'
  /** What to do after the call. */
  next?: ReactNode
}

/**
 * A call that works as shown, run here or copied: it has the first key, masked on the screen and copied in full. If
 * the key may not be shown, the user pastes it to run the call, and it stays in this field.
 */
export default function FirstCall({ look, next }: FirstCallProps) {
  const { publicUrl } = useSettings()
  const client = useQueryClient()
  const { data: keys, isPending, isError } = useQuery(keysQuery)
  const ready = useReadyCall()
  const [language, choose] = useLanguage()
  const isCommand = language === 'curl' || language === 'cli'
  const [pasted, setPasted] = useState('')
  const created = useNewKey()
  const first = callKey(keys)
  const known = first && (created?.id === first.id ? created.value : isWholeKey(first.unkey) ? first.unkey : null)
  const key = known ?? pasted.trim()
  const call = useMutation({
    mutationFn: async () => (await import('../answer/send-call.ts')).sendCall({ path: ready?.path ?? '' }, key),
    onSuccess: () => Promise.all(counters.map((queryKey) => client.invalidateQueries({ queryKey }))),
  })
  if (ready === null) return <NothingReady />
  const written = (shown: string) => (ready ? code(language, ready.operation, publicUrl + ready.path, shown) : '')
  return (
    <div>
      <div className="mb-3 flex flex-wrap items-center justify-between gap-x-4 gap-y-2">
        <p className="min-w-0 flex-1 basis-60 text-muted">{ready ? text.about(ready.about) : '\u00a0'}</p>
        <Segments label="Language" look="frame" value={language} options={optionsOf()} onChange={choose} />
      </div>
      {isPending || !ready ? (
        <Loading label="Loading API keys...">
          <Skeleton className="h-28 w-full" />
        </Loading>
      ) : (
        <CodeBlock
          label={languagePlace[language]}
          wrap
          code={breakable(written(known ? maskKey(known) : placeholder))}
        />
      )}
      {first && !known && <PastedKey value={pasted} onType={setPasted} />}
      <div className="mt-3 flex flex-wrap items-center gap-x-3 gap-y-2">
        <Button look={look} busy={call.isPending} disabled={key === '' || !ready} onClick={() => call.mutate()}>
          {text.run}
        </Button>
        <CopyTextButton
          disabled={!first || !ready}
          value={copyable(written(known ?? placeholder))}
          label={isCommand ? text.copyCommand : text.copyCode}
          done={isCommand ? text.commandCopied : text.codeCopied}
        />
        {next}
        {!isPending && !next && (
          <span className="text-muted">
            {known ? text.keyIncluded : isError && !keys ? text.keysUnknown : first ? null : text.keyNeeded}
          </span>
        )}
      </div>
      {call.isError && (
        <p role="alert" className="mt-2 text-danger">
          {text.noResponse}
        </p>
      )}
      {call.data && (
        <Suspense>
          <RestAnswer answer={call.data} />
        </Suspense>
      )}
    </div>
  )
}

function NothingReady() {
  const { links } = useSettings()
  return (
    <p className="text-muted">
      {text.nothingReady}{' '}
      <ExternalLink href={links.docs} className="text-accent underline-offset-4 hover:underline">
        {text.toDocs}
      </ExternalLink>
    </p>
  )
}

function PastedKey({ value, onType }: { value: string; onType: (value: string) => void }) {
  const mayManage = useMayManage()
  return (
    <TextField
      label={text.pasteKey}
      hint={mayManage ? text.pasteOwn : text.pasteMember}
      className="mt-3 max-w-md"
      value={value}
      autoComplete="off"
      spellCheck={false}
      onChange={({ target }) => onType(target.value)}
    />
  )
}
