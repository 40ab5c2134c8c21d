const ADDRESS = /(?<=["']|&quot;)(?:https?:\/|%ORIGIN%)\/[^<"']+/g

/** Code as HTML whose quoted addresses may break after a slash or before their query, where the style sheet lets lines wrap. */
export const breakAddresses = (html: string): string =>
  html.replaceAll(ADDRESS, (address) => address.replaceAll(/(?<=[^:/]\/)(?=.)|(?=\?|&(?!quot;))/g, '<wbr>'))
