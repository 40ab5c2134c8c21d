export const tryText = {
  ownKey: (name: string) => `Runs with your key “${name}”.`,
  demoKey: 'Free on this page, with the public demo key.',
  logIn: 'Log in',
  forOwnKey: ' to use your own.',
  toGetKey: ' and choose a plan to get a key. Then you can run this call here.',
  noKey: 'No key in your account can be used on this page. Create one, or copy the request.',
  keys: 'API Keys',
  linkCopied: 'Link copied to clipboard',
  copyRefused: 'Failed to copy to clipboard. Please copy manually.',
  notJson: 'A field needs valid JSON, such as [{"symbol":"AAPL","weight":1}].',
  noResponse: 'The server did not respond. Try again.',
}
