import { tryText as text } from './text.ts'

/** Whose key a call is made with, or how to get one. */
export function keyNote(keyName: string | null, hasDemoKey: boolean): (string | Node)[] {
  if (keyName !== null) return [text.ownKey(keyName)]
  const isSignedIn = 'session' in document.documentElement.dataset
  if (hasDemoKey) return isSignedIn ? [text.demoKey] : [text.demoKey, ' ', link('/login', text.logIn), text.forOwnKey]
  return isSignedIn
    ? [text.noKey, ' ', link('/dashboard/api-keys', text.keys)]
    : [link('/login', text.logIn), text.toGetKey]
}

function link(href: string, words: string): HTMLAnchorElement {
  const anchor = document.createElement('a')
  anchor.href = href
  anchor.textContent = words
  return anchor
}
