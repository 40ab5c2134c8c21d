/** Not in text.ts, which the page loads first. */
export const fallbackText = {
  title: 'Using Fallback Pricing',
  about: 'The current plans could not be loaded. These are the standard plans.',
  retry: 'Try again',
}
