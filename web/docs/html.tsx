interface HtmlProps {
  html: string
  as?: 'div' | 'p'
  id?: string
  className?: string
}

/** HTML made at build time from our own Markdown. */
export const Html = ({ html, as: Tag = 'div', ...rest }: HtmlProps) => (
  // biome-ignore lint/security/noDangerouslySetInnerHtml: made at build time from our own Markdown
  <Tag {...rest} dangerouslySetInnerHTML={{ __html: html }} />
)
