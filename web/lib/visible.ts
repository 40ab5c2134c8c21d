/** A server's text, with characters that hide or reorder text replaced by a visible mark. */
export const visible = (text: string): string =>
  text.replaceAll(/[\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff\u{e0000}-\u{e007f}]/gu, '\ufffd')
