export const faqText = {
  title: 'Frequently Asked Questions',
  about: 'What people ask before and after their first call.',
  search: 'Search FAQs...',
  shown: (shown: number, total: number) => `${shown} of ${total} questions`,
  clear: 'Clear search',
  none: 'No FAQs found',
  noneAbout: (term: string) => `No FAQs found matching "${term}". Try different keywords or browse all categories.`,
  help: 'Still need help?',
  helpAbout: 'Write to us, or look it up.',
  email: 'Email Support',
  documentation: 'View Documentation',
}
