import { z } from 'zod'
import type { Route } from '../route.ts'

/** The roles of an installation. They do not contain one another: each route names its roles. */
export const operatorRoles = ['owner', 'support', 'finance', 'viewer'] as const
export const operatorRole = z.enum(operatorRoles)
export type OperatorRole = z.output<typeof operatorRole>

/** Every role. */
export const anyRole = [...operatorRoles]
export const ownerOnly = ['owner'] as const satisfies readonly OperatorRole[]

/** One operation of the console. It is no part of the product API and has no place in OpenAPI. */
export interface OperatorRoute extends Omit<Route, 'auth' | 'scope' | 'deprecated' | 'path'> {
  path: `/operator/api/${string}`
  roles: readonly OperatorRole[]
  /** Whether it needs a second factor proved in the last ten minutes. Acts on money and people do. */
  fresh?: boolean
}

/** A part of a request before it is parsed; undefined: the route has none. */
export type Sent<S> = S extends z.ZodType ? z.input<S> : undefined
export type Received<S extends z.ZodType> = z.output<S>

export const operatorRoute = <const R extends OperatorRoute>(definition: R): R => definition

/** One line, without characters that hide or turn around what others read. */
export const isPlainLine = (text: string): boolean => !/[\p{Cc}\p{Bidi_Control}]/u.test(text)

/** Why, for the audit log. Operators read it beside the change; the customer does not. */
export const reason = z
  .string()
  .trim()
  .min(10, 'Give a reason of at least 10 characters.')
  .max(500, 'Give a reason of at most 500 characters.')
  .refine(isPlainLine, 'Write the reason on one line, without hidden characters.')

/** What every act has. `act_id`: chosen by the client, so that a repeated request is one act. */
export const act = z.object({ act_id: z.uuid(), reason })
