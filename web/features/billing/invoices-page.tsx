import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { Invoice } from '#contract/billing.ts'
import { formatMoney } from '#contract/currency.ts'
import { formatDate } from '../../lib/format.ts'
import { pageHeadings } from '../../lib/page-headings.ts'
import { Badge } from '../../ui/badge.tsx'
import { buttonClass } from '../../ui/button.tsx'
import { ScrollText } from '../../ui/icons/dashboard.ts'
import { Download } from '../../ui/icons/public.ts'
import { PageHeader } from '../../ui/page-header.tsx'
import { QueryState } from '../../ui/query-state.tsx'
import { Cell, HeadCell, Table } from '../../ui/table.tsx'
import { TableSkeleton } from '../../ui/table-skeleton.tsx'
import { paidText } from './paid-text.ts'
import { invoicesQuery } from './queries.ts'
import { invoiceTaxText as taxes } from './tax/text.ts'
import { invoicesText as text } from './text.ts'

/** All invoices of the workspace, newest first, with PDFs. */
export function InvoicesPage() {
  const query = useQuery(invoicesQuery)
  const { data: invoices } = query
  return (
    <>
      <PageHeader {...pageHeadings['/dashboard/billing/invoices']} />
      <div className="overflow-hidden rounded-card border border-line bg-surface">
        <QueryState query={query} failed={text.failed}>
          <TableSkeleton label={text.loading} rows={5} />
        </QueryState>
        {invoices?.length === 0 && (
          <div className="flex flex-col items-center gap-4 px-5 py-12 text-center">
            <p className="max-w-[44ch] text-balance text-muted">{text.none}</p>
            <Link to="/dashboard/billing" className={buttonClass({ size: 'small' })}>
              {text.toBilling}
            </Link>
          </div>
        )}
        {invoices && invoices.length > 0 && <InvoiceTable invoices={invoices} />}
      </div>
    </>
  )
}

function TaxLine({ invoice: { tax, currency }, className }: { invoice: Invoice; className: string }) {
  if (!tax) return null
  const said = tax.untaxed
    ? taxes.untaxed[tax.untaxed]
    : tax.amount !== 0 && taxes.included(formatMoney(tax.amount, currency, true))
  return said && <span className={`text-small text-muted ${className}`}>{said}</span>
}

interface FileLinkProps {
  href: string | null
  icon: typeof Download
  label: string
  of: string
}

function FileLink({ href, icon: Icon, label, of }: FileLinkProps) {
  if (href === null) return null
  return (
    <a href={href} target="_blank" rel="noopener noreferrer" className={buttonClass({ look: 'quiet', size: 'small' })}>
      <Icon aria-hidden="true" className="size-4" />
      <span className="max-sm:sr-only">{label}</span>
      <span className="sr-only"> {of} (opens in a new tab)</span>
    </a>
  )
}

function InvoiceTable({ invoices }: { invoices: Invoice[] }) {
  return (
    <Table
      label={pageHeadings['/dashboard/billing/invoices'].title}
      head={
        <>
          <HeadCell className="max-sm:px-4">Number</HeadCell>
          <HeadCell className="max-sm:hidden">Description</HeadCell>
          <HeadCell className="max-sm:hidden">Date</HeadCell>
          <HeadCell align="right" className="max-sm:px-2">
            Amount
          </HeadCell>
          <HeadCell className="max-sm:px-2">Status</HeadCell>
          <HeadCell>
            <span className="sr-only">PDF</span>
          </HeadCell>
        </>
      }
    >
      {invoices.map((invoice) => (
        <tr key={invoice.id}>
          <Cell className="whitespace-nowrap max-sm:px-4">
            <span className="font-mono">{invoice.number}</span>
            <span className="block text-small whitespace-normal text-muted sm:hidden">
              {invoice.description}
              <span className="block whitespace-nowrap">{formatDate(invoice.created_at)}</span>
              <TaxLine invoice={invoice} className="block" />
            </span>
          </Cell>
          <Cell className="max-w-72 truncate max-sm:hidden">{invoice.description}</Cell>
          <Cell className="whitespace-nowrap max-sm:hidden">{formatDate(invoice.created_at)}</Cell>
          <Cell align="right" className="max-sm:px-2">
            {formatMoney(invoice.amount, invoice.currency, true)}
            <TaxLine invoice={invoice} className="block max-sm:hidden" />
          </Cell>
          <Cell className="max-sm:px-2">
            <Badge tone={invoice.status === 'paid' ? 'success' : invoice.status === 'open' ? 'warning' : 'neutral'}>
              <span className="capitalize">{invoice.status}</span>
            </Badge>
          </Cell>
          <Cell align="right" className="max-sm:px-2">
            <span className="flex justify-end gap-1 max-sm:flex-col">
              <FileLink
                icon={Download}
                href={invoice.invoice_pdf}
                label={text.download}
                of={`invoice ${invoice.number}`}
              />
              <FileLink
                icon={ScrollText}
                href={invoice.receipt}
                label={text.receipt}
                of={`for invoice ${invoice.number}`}
              />
            </span>
          </Cell>
        </tr>
      ))}
      {invoices.length > 1 && (
        <tr className="bg-sunken">
          <Cell className="max-sm:px-4">{text.paid}</Cell>
          <Cell colSpan={2} className="max-sm:hidden" />
          <Cell align="right" className="font-strong max-sm:px-2">
            {paidText(invoices, invoices[0]!.currency)}
          </Cell>
          <Cell colSpan={2} />
        </tr>
      )}
    </Table>
  )
}
