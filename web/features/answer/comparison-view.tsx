import { visible } from '../../lib/visible.ts'
import { Cell, HeadCell, Table } from '../../ui/table.tsx'
import { AnswerChart } from './answer-chart.tsx'
import type { Comparison } from './comparison.ts'
import { dayOf } from './date-names.ts'
import { decimalsFor, formatNumber } from './format-table.ts'
import { lineLook } from './line-looks.ts'
import { comparisonPicture } from './picture.ts'

/** The most important columns come first, because a phone shows no more at once. */
const heads = ['Change %', 'Start = 100', 'Start', 'End']
/** Several symbols over one period: the period, their lines from 100, and where each began and ended. */
export function ComparisonView({ comparison }: { comparison: Comparison }) {
  const { from, to, members } = comparison
  const picture = comparisonPicture(comparison)
  return (
    <div>
      <p className="font-strong">
        {dayOf(from)} – {dayOf(to)}
      </p>
      <p className="text-small text-muted">The same period for all symbols.</p>
      {picture && (
        <div className="mt-2 h-52">
          <AnswerChart picture={picture} />
        </div>
      )}
      <div className="mt-2 overflow-auto rounded-control border border-line bg-surface">
        <Table
          label="Comparison"
          landmark={false}
          head={
            <>
              <HeadCell className="px-3! py-1.5">Symbol</HeadCell>
              {heads.map((head) => (
                <HeadCell key={head} align="right" className="px-3! py-1.5">
                  {head}
                </HeadCell>
              ))}
            </>
          }
        >
          {members.map(({ symbol, first, last, changePercent }, place) => {
            const decimals = decimalsFor([first, last])
            const cells = [
              `${changePercent > 0 ? '+' : ''}${formatNumber(changePercent, 2)}`,
              formatNumber((100 * last) / first, 1),
              formatNumber(first, decimals),
              formatNumber(last, decimals),
            ]
            return (
              <tr key={symbol}>
                <Cell className="px-3! py-1! whitespace-nowrap">
                  {picture && (
                    <svg aria-hidden="true" width="20" height="8" className="mr-2 inline-block">
                      <line
                        x2="20"
                        y1="4"
                        y2="4"
                        stroke={lineLook(place).color}
                        strokeDasharray={lineLook(place).dash}
                        strokeWidth="2"
                      />
                    </svg>
                  )}
                  {visible(symbol)}
                </Cell>
                {cells.map((cell, column) => (
                  <Cell key={heads[column]} align="right" className="px-3! py-1! whitespace-nowrap">
                    {cell}
                  </Cell>
                ))}
              </tr>
            )
          })}
        </Table>
      </div>
    </div>
  )
}
