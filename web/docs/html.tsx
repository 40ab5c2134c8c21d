interface HtmlProps {
  html: string
  as?: 'div' | 'p'
  id?: string
  className?: string
}

/** HTML made from Markdown in which every text of others is escaped. */
export const Html = ({ html, as: Tag = 'div', ...rest }: HtmlProps) => (
  // biome-ignore lint/security/noDangerouslySetInnerHtml: made from Markdown in which every text of others is escaped
  <Tag {...rest} dangerouslySetInnerHTML={{ __html: html }} />
)
