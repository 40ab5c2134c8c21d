const monthsOfYear = 12
const annualShare = 0.8

/** The annual price in cents: twelve months minus 20 percent. */
export const annualCents = (monthlyCents: number): number => Math.round(monthlyCents * monthsOfYear * annualShare)

export const POPULAR = 'Most Popular'

/** Whether the plan gets the Most Popular badge, by its name. */
export const isMostPopular = (plan: { name: string }): boolean => /trader|project|pro/i.test(plan.name)
