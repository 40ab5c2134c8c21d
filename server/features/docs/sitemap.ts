/** Public pages of the application; the documentation adds its own. */
const publicPages = ['/', '/docs/pricing', '/docs/faq', '/demo', '/sell', '/legal/privacy', '/legal/terms']

/** Every public page by its canonical URL, without the hidden paths. */
export function sitemap(publicUrl: string, docsPaths: readonly string[], hidden: ReadonlySet<string>): string {
  const listed = [...publicPages, ...docsPaths].filter((path) => !hidden.has(path))
  const entries = listed.map((path) => `  <url><loc>${publicUrl}${path}</loc></url>`)
  return `<?xml version="1.0" encoding="UTF-8"?>\n<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n${entries.join('\n')}\n</urlset>\n`
}

/** Crawlers may read what visitors see; the rest needs a session or a key. */
export const robots = (publicUrl: string): string =>
  `User-agent: *\nDisallow: /api/\nDisallow: /auth/\nDisallow: /dashboard\nDisallow: /sandbox/\nDisallow: /v1/\n\nSitemap: ${publicUrl}/sitemap.xml\n`
