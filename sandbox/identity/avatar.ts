/** The picture of a sample person: their initials on a color derived from the name. */
export function avatarUrl(providerUrl: string, name: string): string {
  return `${providerUrl}/avatar?name=${encodeURIComponent(name)}`
}

export function avatarSvg(name: string): string {
  const initials = name
    .split(/\s+/)
    .map((word) => word.charAt(0))
    .join('')
    .slice(0, 2)
    .replaceAll(/[^\p{L}\p{N}]/gu, '')
  const hue = [...name].reduce((sum, char) => (sum * 31 + (char.codePointAt(0) ?? 0)) % 360, 7)
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 96 96" width="96" height="96"><rect width="96" height="96" fill="hsl(${hue} 45% 42%)"/><text x="48" y="50" dy=".32em" text-anchor="middle" font-family="system-ui,sans-serif" font-size="38" font-weight="600" fill="white">${initials}</text></svg>`
}
