import { useEffect, useId, useMemo, useState } from 'react'
import { PublicPage } from '../../layout/public-page.tsx'
import { fragmentOf } from '../../lib/fragment.ts'
import { useSettings } from '../../lib/settings.ts'
import { Accordion } from '../../ui/accordion.tsx'
import { Badge } from '../../ui/badge.tsx'
import { Button, buttonClass } from '../../ui/button.tsx'
import { ExternalLink } from '../../ui/external-link.tsx'
import { Search } from '../../ui/icons/public.ts'
import { EmptyState, ErrorState } from '../../ui/states.tsx'
import { usePublicPlans } from '../plans/use-public-plans.ts'
import { questionCategories } from './questions.ts'
import { countQuestions, searchQuestions } from './search-questions.ts'
import { faqText as text } from './text.ts'
import { useOwnQuestions } from './use-own-questions.ts'

/** The FAQ by category, with search. */
export function FaqPage() {
  const { plans } = usePublicPlans()
  const settings = useSettings()
  const own = useOwnQuestions()
  const [term, setTerm] = useState('')
  // React empties the field that the server drew, which may have text already.
  const [early] = useState(typedEarly)
  useEffect(() => setTerm((now) => now || early), [early])
  const all = useMemo(
    () => (settings.shop.ownFaq ? (own.categories ?? []) : questionCategories(plans, settings)),
    [plans, settings, own.categories],
  )
  const found = useMemo(() => searchQuestions(all, term), [all, term])
  return (
    <PublicPage title={text.title} about={text.about} width="narrow">
      <SearchBox term={term} onChange={setTerm} shown={countQuestions(found)} total={countQuestions(all)} />
      {own.error && <ErrorState title={text.failed} error={own.error} onRetry={own.retry} />}
      {found.length === 0 && all.length > 0 && (
        <div className="rounded-card border border-line bg-surface">
          <EmptyState
            title={text.none}
            about={<span className="[overflow-wrap:anywhere]">{text.noneAbout(term.trim())}</span>}
          />
        </div>
      )}
      {found.map(({ name, questions }, index) => (
        <section key={name} aria-labelledby={fragmentOf(name)}>
          <h2 id={fragmentOf(name)} className="mb-3 text-prose font-strong">
            {name}
          </h2>
          <Accordion
            name={fragmentOf(name)}
            firstOpen={index === 0}
            items={questions.map(({ question, answer, html }) => ({
              title: question,
              content: <Answer text={answer} html={html} />,
            }))}
          />
        </section>
      ))}
      <StillNeedHelp />
    </PublicPage>
  )
}

const typedEarly = () =>
  typeof document === 'undefined'
    ? ''
    : (document.querySelector<HTMLInputElement>(`[placeholder="${text.search}"]`)?.value ?? '')

function Answer({ text, html }: { text: string; html: string | undefined }) {
  if (html === undefined) return <p>{text}</p>
  // biome-ignore lint/security/noDangerouslySetInnerHtml: rendered by our server from Markdown, raw HTML escaped
  return <div className="prose" dangerouslySetInnerHTML={{ __html: html }} />
}

interface SearchBoxProps {
  term: string
  onChange: (term: string) => void
  shown: number
  total: number
}

function SearchBox({ term, onChange, shown, total }: SearchBoxProps) {
  const id = useId()
  return (
    <search className="flex flex-wrap items-center gap-3 print:hidden">
      <div className="relative min-w-0 flex-1 basis-60">
        <label htmlFor={id} className="sr-only">
          {text.search}
        </label>
        <Search aria-hidden="true" className="absolute top-1/2 left-3 size-4 -translate-y-1/2 text-mark" />
        <input
          id={id}
          type="text"
          inputMode="search"
          autoComplete="off"
          placeholder={text.search}
          value={term}
          maxLength={200}
          onChange={(event) => onChange(event.target.value)}
          className="h-11 w-full rounded-control border border-line-strong bg-surface pr-3 pl-9 text-prose placeholder:text-muted"
        />
      </div>
      <span role="status">
        <Badge>{text.shown(shown, total)}</Badge>
      </span>
      {term !== '' && (
        <Button look="quiet" onClick={() => onChange('')}>
          {text.clear}
        </Button>
      )}
    </search>
  )
}

function StillNeedHelp() {
  const { links } = useSettings()
  return (
    <section aria-labelledby="help" className="rounded-card border border-line bg-surface p-5">
      <h2 id="help" className="text-prose font-strong">
        {text.help}
      </h2>
      <p className="mt-1 text-muted">{text.helpAbout}</p>
      <div className="mt-4 flex flex-wrap gap-2 max-sm:*:w-full">
        <ExternalLink href={`mailto:${links.supportEmail}`} className={buttonClass({ look: 'primary' })}>
          {text.email}
        </ExternalLink>
        <a href="/docs" className={buttonClass()}>
          {text.documentation}
        </a>
      </div>
    </section>
  )
}
