import { useParams } from '@tanstack/react-router'

/** The `$id` in the address of the page. */
export const useRouteId = (): string => useParams({ strict: false }).id ?? ''
