import type { Accent } from './shop.ts'

/** Contrast that WCAG AA asks of text. */
const AA = 4.5
/** What text in the accent color stands on: the backgrounds of web/styles/tokens.css. */
const surfaces = { light: ['#ffffff', '#f8f9fa', '#f1f3f5'], dark: ['#0b0d10', '#111317', '#171a1f'] }
/** The parts of the color in its tint, where text in that color stands too. */
const TINT = 0.09
const LINE = 0.38

/** The accent's text, tint and line in one theme. */
export interface Tones {
  text: string
  soft: string
  line: string
}

/** The tones of a color on the surfaces of one theme. */
export function tonesOf(color: string, theme: keyof Accent): Tones {
  const [page] = surfaces[theme]
  return { text: color, soft: mix(color, page!, TINT), line: mix(color, page!, LINE) }
}

/** Why text in this color cannot be read in this theme, with the ratio; null if it can. */
export function contrastProblem(color: string, theme: keyof Accent): string | null {
  const [ratio, surface] = worst(color, theme)
  if (ratio >= AA) return null
  return `${color} has a contrast of ${shown(ratio)} on ${surface}, a ${theme} surface, where text needs ${AA} (WCAG AA): choose a ${theme === 'light' ? 'darker' : 'lighter'} color`
}

/** The color made lighter until it can be read on dark surfaces. */
export function forDark(color: string): string {
  for (let white = 0; white < 1; white += 0.05) {
    const lighter = mix('#ffffff', color, white)
    if (contrastProblem(lighter, 'dark') === null) return lighter
  }
  return '#ffffff'
}

/** The contrast of text in this color on the surface of this theme where it is worst, rounded down to hundredths. */
export const contrastOf = (color: string, theme: keyof Accent): number => Math.floor(worst(color, theme)[0] * 100) / 100

function worst(color: string, theme: keyof Accent): [number, string] {
  const all = [...surfaces[theme], tonesOf(color, theme).soft]
  return all.map((surface): [number, string] => [contrast(color, surface), surface]).sort(([a], [b]) => a - b)[0]!
}

// Rounded down, so that a color that fails is never said to have what is needed.
const shown = (ratio: number): string => (Math.floor(ratio * 100) / 100).toFixed(2)

/** Whether a bar of successful calls in this color would look like one of refused or failed calls: pink to yellow. */
export function isAlarming(color: string): boolean {
  const [red, green, blue] = channels(color) as [number, number, number]
  const range = Math.max(red, green, blue) - Math.min(red, green, blue)
  // Degrees from red; no number for gray.
  const hue = (60 * (green - blue)) / range
  return red === Math.max(red, green, blue) && hue > -30 && hue <= 60
}

const channels = (color: string): number[] => [1, 3, 5].map((at) => Number.parseInt(color.slice(at, at + 2), 16))

function mix(color: string, other: string, part: number): string {
  const others = channels(other)
  return `#${channels(color)
    .map((value, index) => Math.round(value * part + others[index]! * (1 - part)))
    .map((value) => value.toString(16).padStart(2, '0'))
    .join('')}`
}

/** Relative luminance (WCAG 2). */
function luminance(color: string): number {
  const [red, green, blue] = channels(color)
    .map((value) => value / 255)
    .map((value) => (value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4))
  return 0.2126 * red! + 0.7152 * green! + 0.0722 * blue!
}

function contrast(one: string, other: string): number {
  const [low, high] = [luminance(one), luminance(other)].sort((a, b) => a - b)
  return (high! + 0.05) / (low! + 0.05)
}
