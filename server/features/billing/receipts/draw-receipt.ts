import type { Receipt } from './receipt.ts'

const LEFT = 56
const WIDTH = 483
const HALF = 230
const AMOUNT = 130
const LOWEST = 740
const INK = '#16191d'
const QUIET = '#555d68'

/** The receipt as a PDF, A4. The same receipt gives the same bytes. */
export async function drawReceipt(receipt: Receipt): Promise<Buffer> {
  // Loaded when it is used: it takes 24 MB of packages, and few requests need it.
  const { default: PDFDocument } = await import('pdfkit')
  const { number, paidAt, seller, buyer } = receipt
  const info = { Title: `Payment receipt ${number}`, Author: seller.name, CreationDate: paidAt }
  const page = new PDFDocument({ size: 'A4', margin: LEFT, info, lang: 'en' })
  const parts: Buffer[] = []
  page.on('data', (part: Buffer) => parts.push(part))
  const done = new Promise((resolve) => page.on('end', resolve))

  const font = (bold: boolean, color = INK, size = 10) =>
    page
      .font(bold ? 'Helvetica-Bold' : 'Helvetica')
      .fontSize(size)
      .fillColor(color)
  const gap = (points: number) => {
    page.y += points
  }
  /** Runs both beside each other, and goes on below the longer one. */
  const beside = (left: () => void, right: () => void) => {
    if (page.y > LOWEST) page.addPage()
    const top = page.y
    left()
    const below = page.y
    page.y = top
    right()
    page.y = Math.max(below, page.y)
  }
  const rule = () => {
    page
      .moveTo(LEFT, page.y)
      .lineTo(LEFT + WIDTH, page.y)
      .lineWidth(0.5)
      .strokeColor('#d5d9df')
      .stroke()
    gap(8)
  }
  const party =
    (label: string, { name, lines }: Receipt['seller'], x: number) =>
    () => {
      font(false, QUIET).text(label, x, page.y, { width: HALF })
      font(true).text(name, x, page.y, { width: HALF })
      for (const line of lines) font(false).text(line, x, page.y, { width: HALF })
    }
  const amount =
    (text: string, bold = false) =>
    () =>
      void font(bold).text(text, LEFT + WIDTH - AMOUNT, page.y, { width: AMOUNT, align: 'right' })

  font(true, INK, 20).text('Payment receipt', LEFT, LEFT)
  if (receipt.test) font(true, '#a3161f').text('TEST, no payment was made')
  gap(12)
  for (const { label, value } of receipt.facts) {
    beside(
      () => font(false, QUIET).text(label, LEFT, page.y, { width: 90 }),
      () => font(false).text(value, LEFT + 90, page.y, { width: WIDTH - 90 }),
    )
    gap(2)
  }
  gap(16)
  beside(party('From', seller, LEFT), party('Billed to', buyer, LEFT + WIDTH - HALF))
  gap(24)
  beside(() => font(false, QUIET).text('Description', LEFT, page.y), amount('Amount'))
  gap(6)
  rule()
  for (const { text, about, amount: cost } of receipt.lines) {
    beside(() => {
      font(false).text(text, LEFT, page.y, { width: WIDTH - AMOUNT - 16 })
      if (about) font(false, QUIET).text(about, LEFT, page.y, { width: WIDTH - AMOUNT - 16 })
    }, amount(cost))
    gap(8)
  }
  rule()
  for (const { text, amount: cost, strong } of receipt.totals) {
    beside(() => font(strong).text(text, LEFT + 160, page.y, { width: WIDTH - AMOUNT - 176 }), amount(cost, strong))
    gap(4)
  }
  gap(20)
  for (const note of receipt.notes) {
    if (page.y > LOWEST) page.addPage()
    font(false).text(note, LEFT, page.y, { width: WIDTH })
    gap(4)
  }
  page.end()
  await done
  return Buffer.concat(parts)
}
