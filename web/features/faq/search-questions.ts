import type { QuestionCategory } from './questions.ts'

/**
 * The questions that contain `term` in question or answer, case-insensitively, by category; empty categories are left
 * out.
 */
export function searchQuestions(categories: readonly QuestionCategory[], term: string): QuestionCategory[] {
  const wanted = term.trim().toLowerCase()
  return categories
    .map(({ name, questions }) => ({
      name,
      questions: questions.filter(
        ({ question, answer }) => question.toLowerCase().includes(wanted) || answer.toLowerCase().includes(wanted),
      ),
    }))
    .filter(({ questions }) => questions.length > 0)
}

export const countQuestions = (categories: readonly QuestionCategory[]): number =>
  categories.reduce((sum, { questions }) => sum + questions.length, 0)
