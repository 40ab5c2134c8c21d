const count = new Intl.NumberFormat('en-US')
const credits = (many: number) => `${count.format(many)} ${many === 1 ? 'credit' : 'credits'}`

export const answerText = {
  credits,
  free: 'Free',
  notCharged: 'Not charged',
  left: (many: number) => `${credits(many)} left`,
  unlimitedLeft: 'unlimited credits',
  duration: (ms: number) => `${count.format(Math.max(1, Math.round(ms)))} ms`,
  copyReceipt: 'Copy receipt ID',
  receiptCopied: 'Receipt ID copied to clipboard',
  views: 'Result view',
  recorded: 'Recorded',
  empty: 'No rows.',
  noBody: 'The response has no body.',
  aboutError: 'About this error',
  body: 'Response body',
  cut: '... (the rest is not shown here)',
  noPeriod: 'These symbols have no period in common, so each is shown separately.',
  statuses: {
    200: 'OK',
    400: 'Bad request',
    401: 'Not signed in',
    402: 'No credits left',
    404: 'Not found',
    429: 'Too many requests',
    500: 'Server error',
    503: 'Unavailable',
  } as Record<number, string>,
}
