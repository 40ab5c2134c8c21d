/** A card of the Servers tab: the tab is a card already, so lines part its sections. */
export const sectionClass = 'rounded-none border-x-0 border-t-0 last:border-b-0'
