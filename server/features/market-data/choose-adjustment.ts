import { AppError } from '../../http/errors.ts'
import type { Adjustment } from './adjustment.ts'
import type { Instrument } from './catalogue.ts'
import { type Adjust, adjusts } from './manifest.ts'

/**
 * The adjustment asked for, or, when none was named, splits, else what the data have. Throws invalid_parameter naming
 * what the symbol allows.
 */
export function chooseAdjustment(
  { manifest, series }: Pick<Instrument, 'manifest' | 'series'>,
  wanted: Adjust | undefined,
): { adjust: Adjust; adjustment: Adjustment } {
  const allowed = adjusts.filter((adjust) => series.adjustments[adjust])
  const adjust = wanted ?? allowed[0]!
  const adjustment = series.adjustments[adjust]
  if (!adjustment) {
    throw new AppError(
      'invalid_parameter',
      `${manifest.symbol} is not held with adjust=${adjust}. Possible: ${allowed.join(', ')}.`,
      { param: 'adjust', allowed },
    )
  }
  return { adjust, adjustment }
}
