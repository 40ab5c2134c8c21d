/** Icons of answers, which visitors see as well. */
import { icon } from './icon.tsx'

export const ArrowDown = icon('M12 5v14M19 12l-7 7-7-7')
export const ArrowUp = icon('M5 12l7-7 7 7M12 19V5')
export const Info = icon('M2 12a10 10 0 1 0 20 0a10 10 0 1 0 -20 0zM12 16v-4M12 8h.01')
