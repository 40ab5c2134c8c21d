/** Gives a control a hint that the tooltip layer shows: `<button {...tooltip('Copy')}>`. Never the only carrier of information. */
export const tooltip = (text: string, side: 'top' | 'right' = 'top') => ({
  'data-tooltip': text,
  'data-tooltip-side': side,
})
