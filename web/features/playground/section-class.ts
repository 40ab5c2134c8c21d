/** A card of a tab that is a card already: lines part its sections, which are as wide as the tab's header. */
export const sectionClass = 'rounded-none border-x-0 border-t-0 last:border-b-0 *:px-4'
