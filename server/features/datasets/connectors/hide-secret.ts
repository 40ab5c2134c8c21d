/** Some sources repeat the key that they were asked with. */
export function withoutSecret(text: string, secret: string | null): string {
  if (!secret) return text
  return text.replaceAll(secret, '{key}').replaceAll(encodeURIComponent(secret), '{key}')
}
