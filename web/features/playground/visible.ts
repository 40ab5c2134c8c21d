/** A server's words, with a mark in the place of characters that hide or reorder text. */
export const visible = (text: string): string =>
  text.replaceAll(/[\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff\u{e0000}-\u{e007f}]/gu, '\ufffd')
