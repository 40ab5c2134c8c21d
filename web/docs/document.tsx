import type { ReactNode } from 'react'
import { type DocsAssets, type DocsPage, ORIGIN } from './page.ts'

/** Runs before the first paint: sets the theme, and whether this browser has a session, which decides the header. */
const beforePaint = `try{const t=localStorage.getItem('finmeter.theme');if(t==='light'||t==='dark')document.documentElement.dataset.theme=t;if(localStorage.getItem('supabase.auth.token'))document.documentElement.dataset.session=''}catch{}`

interface DocumentProps {
  page: DocsPage
  assets: DocsAssets
  children: ReactNode
}

/** The whole document of a docs page. Readers, search engines and language models need no script. */
export function Document({ page, assets, children }: DocumentProps) {
  const address = ORIGIN + page.path
  return (
    <html lang="en">
      <head>
        <meta charSet="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <meta name="referrer" content="no-referrer" />
        <title>{`${page.title} · %SHOP%`}</title>
        <meta name="description" content={page.description} />
        <link rel="canonical" href={address} />
        <link rel="alternate" type="text/markdown" href={`${address}.md`} />
        <meta property="og:type" content="article" />
        <meta property="og:site_name" content="%SHOP%" />
        <meta property="og:title" content={page.title} />
        <meta property="og:description" content={page.description} />
        <meta property="og:url" content={address} />
        <meta property="og:image" content={`${ORIGIN}/preview.png`} />
        <meta property="og:image:width" content="1200" />
        <meta property="og:image:height" content="630" />
        <meta property="og:image:alt" content="Finmeter: financial data by the call, over REST and MCP" />
        <meta name="twitter:card" content="summary_large_image" />
        <link rel="icon" href="/favicon.svg" type="image/svg+xml" />
        <script
          // biome-ignore lint/security/noDangerouslySetInnerHtml: a constant of this file
          dangerouslySetInnerHTML={{ __html: beforePaint }}
        />
        {assets.styles.map((href) => (
          <link key={href} rel="stylesheet" href={href} />
        ))}
        {assets.preloads.map((href) => (
          <link key={href} rel="modulepreload" href={href} />
        ))}
        <script type="module" src={assets.script} />
      </head>
      <body>{children}</body>
    </html>
  )
}
