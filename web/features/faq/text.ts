export const faqText = {
  title: 'Frequently Asked Questions',
  about: 'Answers about keys, plans, credits, limits and support.',
  search: 'Search FAQs...',
  shown: (shown: number, total: number) => `${shown} of ${total} questions`,
  clear: 'Clear search',
  failed: 'The questions could not be loaded',
  none: 'No FAQs found',
  noneAbout: (term: string) => `No FAQs found matching "${term}". Try different keywords or browse all categories.`,
  help: 'Still need help?',
  helpAbout: 'Email us or search the docs.',
  email: 'Email Support',
  documentation: 'View Documentation',
}
