const monthsOfYear = 12
const annualShare = 0.8

/** What a year costs at once, in cents: twelve months less 20 percent. */
export const annualCents = (monthlyCents: number): number => Math.round(monthlyCents * monthsOfYear * annualShare)

/** A plan that most choose is told by its name. */
export const isMostPopular = (plan: { name: string }): boolean => /trader|project|pro/i.test(plan.name)
