import { loadConfig } from '#server/config/config.ts'
export const forbidden = loadConfig
