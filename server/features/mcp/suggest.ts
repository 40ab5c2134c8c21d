import type { AppError } from '../../http/errors.ts'

/** The message of an error with its suggestions, unless the message already contains them. */
export function messageWithSuggestions({ message, detail: { suggestions } }: AppError): string {
  if (!suggestions?.length || message.includes('Did you mean')) return message
  return `${message} Did you mean ${suggestions.join(' or ')}?`
}
