import { useState } from 'react'
import { CodeBlock } from '../../../ui/code-block.tsx'
import { CopyButton } from '../../../ui/copy/copy-button.tsx'
import { ChevronRight } from '../../../ui/icons/public.ts'
import { Segments } from '../../../ui/segments.tsx'
import { callSnippet, type SnippetLanguage, snippetLanguages } from './call-snippets.ts'

export function Snippets({ endpoint, tool, args }: { endpoint: string; tool: string; args: unknown }) {
  const [language, setLanguage] = useState<SnippetLanguage>('curl')
  const snippet = callSnippet(language, endpoint, tool, args)
  return (
    <details className="group mt-2">
      <summary className="flex items-center gap-1 rounded-control text-small text-muted hover:text-ink">
        <ChevronRight aria-hidden="true" className="size-4 transition-transform group-open:rotate-90" />
        Copy as code
      </summary>
      <div className="mt-2">
        <Segments label="Language" look="wrap" value={language} options={snippetLanguages} onChange={setLanguage} />
        <CodeBlock
          className="mt-2"
          label="Replace YOUR_API_KEY with your key"
          code={snippet}
          action={<CopyButton value={snippet} label="Copy the call" done="Copied to clipboard" />}
        />
      </div>
    </details>
  )
}
