import { AppError } from '../../../http/errors.ts'
import type { Instrument } from '../catalog.ts'
import { type Adjust, adjusts } from '../manifest.ts'
import type { Adjustment } from './adjustment.ts'

/**
 * The requested adjustment; by default splits, else what the data has. Throws invalid_parameter listing what the symbol
 * allows.
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
      `${manifest.symbol} is not available with adjust=${adjust}. Possible: ${allowed.join(', ')}.`,
      { param: 'adjust', allowed },
    )
  }
  return { adjust, adjustment }
}
