/**
 * Control characters, and those that hide or reorder text: they could show people something other than what models read. An emoji may
 * have the mark of its colored form.
 */
export const HIDDEN = /(?![\t\n])[\p{Cc}\p{Cf}\p{DI}\u2028\u2029](?<!\p{Emoji}\uFE0F)/gu
