/** Downloads text as a file. */
export function downloadText(content: string, fileName: string, type = 'text/csv'): void {
  const href = URL.createObjectURL(new Blob([content], { type }))
  const link = Object.assign(document.createElement('a'), { href, download: fileName })
  link.click()
  URL.revokeObjectURL(href)
}
