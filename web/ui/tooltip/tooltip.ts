/** Adds a tooltip to a control: `<button {...tooltip('Copy')}>`. Never the only source of information. */
export const tooltip = (text: string, side: 'top' | 'right' = 'top') => ({
  'data-tooltip': text,
  'data-tooltip-side': side,
})
