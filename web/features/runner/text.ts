const count = new Intl.NumberFormat('en-US')

export const runnerText = {
  credits: (charged: number) => `${count.format(charged)} ${charged === 1 ? 'credit' : 'credits'}`,
  left: 'left',
  response: 'Response',
  statuses: {
    200: 'OK',
    400: 'Bad request',
    401: 'Not signed in',
    402: 'No credits left',
    404: 'Not found',
    429: 'Too many requests',
    503: 'Unavailable',
  } as Record<number, string>,
}
