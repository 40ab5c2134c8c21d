import { median } from '../results.ts'
import { extrapolate } from './extrapolate.ts'
import { type Dimension, dimensionNames, dimensions } from './sizes.ts'
import { costOf, type Growth, linesOf } from './word-growth.ts'

const [WIDTH, HEIGHT, PANEL] = [960, 350, 312]
/** Edges of the plot in its panel. */
const [LEFT, RIGHT, TOP, BOTTOM] = [52, 288, 76, 276]
const [INK, GRAY, GRID, BLUE, ORANGE] = ['#1f2328', '#59636e', '#e3e6ea', '#0b5cad', '#a34200']
const NEAR = 30

interface Mark {
  size: number
  micros: number
  least: number
  greatest: number
  isExtrapolated?: boolean
}

interface Curve {
  name: string
  color: string
  marks: Mark[]
}

/** The table's costs as SVG, a panel for each dimension. It has a light background of its own, for pages of any color. */
export function drawGrowth(growth: Growth): string {
  const panels = dimensions.map((dimension) => ({ dimension, curves: curvesOf(growth, dimension) }))
  const marks = panels.flatMap(({ curves }) => curves.flatMap((curve) => curve.marks))
  const most = Math.max(...marks.map(({ greatest }) => greatest))
  const step = [5, 10, 20, 50, 100, 200, 500].find((one) => most / one <= 7) ?? 1_000
  const top = Math.ceil(most / step) * step
  const y = (micros: number) => Math.round(BOTTOM - (micros / top) * (BOTTOM - TOP))
  const steps = Array.from({ length: top / step + 1 }, (_, n) => n * step)
  const grid = steps.map((micros) => `<path d="M${LEFT} ${y(micros)}H${RIGHT}" stroke="${GRID}"/>`)
  const scale = steps.map((micros) => text(LEFT - 8, y(micros) + 4, String(micros), 'end'))
  const drawn = panels.map(({ dimension, curves }, at) => {
    const sizes = [...new Set(curves.flatMap((curve) => curve.marks.map(({ size }) => size)))]
    const [low, high] = [Math.log(sizes[0]!), Math.log(sizes.at(-1)!)]
    const x = (size: number) => Math.round(LEFT + 12 + ((Math.log(size) - low) / (high - low)) * (RIGHT - LEFT - 24))
    const ticks = sizes.map((size, n) => {
      const isNear = n > 0 && x(size) - x(sizes[n - 1]!) < NEAR
      return text(x(size), BOTTOM + (isNear ? 34 : 18), short(size), 'middle')
    })
    return [
      `<g transform="translate(${at * PANEL} 0)">`,
      text(LEFT, 32, capital(dimensionNames[dimension]), 'start', INK, 15),
      ...curves.map(({ name, color }, n) => text(LEFT + n * 80, 54, name, 'start', color)),
      ...grid,
      ...scale,
      ...ticks,
      ...curves.flatMap((curve) => drawCurve(curve, x, y)),
      '</g>',
    ]
  })
  const note =
    'µs of processor time for a call, server and PostgreSQL together; lines through points: lowest to highest; hollow: extrapolated'
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-labelledby="title desc" font-family="system-ui, sans-serif">`,
    '<title id="title">What a metered call costs as an installation grows</title>',
    `<desc id="desc">${panels.flatMap(({ dimension, curves }) => curves.map((curve) => inWords(dimension, curve))).join(' ')}</desc>`,
    `<rect width="${WIDTH}" height="${HEIGHT}" rx="8" fill="#ffffff"/>`,
    ...drawn.flat(),
    text(LEFT, HEIGHT - 14, note, 'start'),
    '</svg>\n',
  ].join('\n')
}

function curvesOf(growth: Growth, dimension: Dimension): Curve[] {
  const lines = linesOf(growth, dimension)
  const marksOf = (work: 'quotes' | 'operations'): Mark[] =>
    lines.map((line) => {
      const costs = line[work].map(costOf)
      return { size: line.size, micros: median(costs), least: Math.min(...costs), greatest: Math.max(...costs) }
    })
  const further = extrapolate(lines)
  const quotes = marksOf('quotes')
  if (further) {
    const micros = costOf(further)
    quotes.push({ size: further.size, micros, least: micros, greatest: micros, isExtrapolated: true })
  }
  const operations = { name: 'one of these operations', color: ORANGE, marks: marksOf('operations') }
  return [{ name: 'a quote', color: BLUE, marks: quotes }, ...(lines[0]!.operations.length > 0 ? [operations] : [])]
}

function drawCurve({ color, marks }: Curve, x: (size: number) => number, y: (micros: number) => number): string[] {
  const parts = marks.slice(1).map((mark, n) => {
    const dashes = mark.isExtrapolated ? ' stroke-dasharray="4 4"' : ''
    return `<path d="M${x(marks[n]!.size)} ${y(marks[n]!.micros)}L${x(mark.size)} ${y(mark.micros)}" stroke="${color}" stroke-width="2"${dashes}/>`
  })
  const points = marks.map(
    ({ size, micros, least, greatest, isExtrapolated }) =>
      `<path d="M${x(size)} ${y(least)}V${y(greatest)}" stroke="${color}"/><circle cx="${x(size)}" cy="${y(micros)}" r="4" fill="${isExtrapolated ? '#ffffff' : color}" stroke="${color}" stroke-width="2"/>`,
  )
  return [...parts, ...points]
}

const inWords = (dimension: Dimension, { name, marks }: Curve): string =>
  `${capital(dimensionNames[dimension])}, ${name}: ${marks.map(({ size, micros, isExtrapolated }) => `${micros.toFixed(0)} µs at ${size.toLocaleString('en-US')}${isExtrapolated ? ' (extrapolated)' : ''}`).join(', ')}.`
const text = (x: number, y: number, words: string, anchor: string, color = GRAY, size = 12): string =>
  `<text x="${x}" y="${y}" text-anchor="${anchor}" font-size="${size}" fill="${color}">${words}</text>`
const short = (size: number): string =>
  size >= 1_000_000 ? `${size / 1_000_000}M` : size >= 1_000 ? `${size / 1_000}k` : String(size)
const capital = (words: string): string => words[0]!.toUpperCase() + words.slice(1)
