/** Round values for an axis, from below the lowest to above the highest value: about four. */
export function ticksOf(low: number, high: number): number[] {
  const span = high - low || Math.abs(high) || 1
  const rough = span / 4
  const power = 10 ** Math.floor(Math.log10(rough))
  const step = [1, 2, 2.5, 5, 10].map((factor) => factor * power).find((one) => one >= rough)!
  const [first, last] = [Math.floor(low / step + 1e-9), Math.ceil(high / step - 1e-9)]
  const ticks: number[] = []
  for (let tick = first; tick <= Math.max(last, first + 1); tick += 1) ticks.push(Number((tick * step).toPrecision(12)))
  return ticks
}

/** The indexes of the points whose dates stand below the axis, evenly spread. `places` are percentages of the width. */
export function labeled(places: readonly number[], most: number): number[] {
  if (places.length <= most) return places.map((_, index) => index)
  const nearest = (wanted: number) =>
    places.reduce(
      (best, place, index) => (Math.abs(place - wanted) < Math.abs(places[best]! - wanted) ? index : best),
      0,
    )
  // Of seven days, four are evenly spread and five are not.
  const isOdd = places.length < 2 * most && (places.length - 1) % (most - 1) > 0
  const count = isOdd && (places.length - 1) % (most - 2) === 0 ? most - 1 : most
  return [...new Set(Array.from({ length: count }, (_, part) => nearest((100 * part) / (count - 1))))]
}
