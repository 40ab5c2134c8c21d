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
import { Cell, HeadCell, StackedRow, Table } from '../../ui/table.tsx'
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
      <div className="overflow-hidden rounded-card border border-line bg-surface max-md:[&_tbody]:border-t-0 [&_thead_tr]:border-t-0">
        <QueryState query={query} failed={text.failed}>
          <TableSkeleton label={text.loading} rows={5} stacked />
        </QueryState>
        {invoices?.length === 0 && (
          <div className="flex flex-col items-center gap-4 px-5 py-8 text-center">
            <p className="max-w-[44ch] text-balance text-muted">
              <strong className="block font-strong text-ink">{text.none[0]}</strong> {text.none[1]}
            </p>
            <Link to="/dashboard/billing" className={buttonClass()}>
              {text.toBilling}
            </Link>
          </div>
        )}
        {invoices && invoices.length > 0 && <InvoiceTable invoices={invoices} />}
      </div>
    </>
  )
}

function TaxLine({ invoice: { tax, currency } }: { invoice: Invoice }) {
  if (!tax) return null
  const said = tax.untaxed
    ? taxes.untaxed[tax.untaxed]
    : tax.amount !== 0 && taxes.included(formatMoney(tax.amount, currency, true))
  return said && <span className="block text-small text-muted">{said}</span>
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
    <a
      href={href}
      target="_blank"
      rel="noopener noreferrer"
      className={buttonClass({ look: 'quiet', size: 'small', className: 'font-normal! text-ink!' })}
    >
      <Icon aria-hidden="true" className="size-4" />
      {label}
      <span className="sr-only"> {of} (opens in a new tab)</span>
    </a>
  )
}

function InvoiceTable({ invoices }: { invoices: Invoice[] }) {
  return (
    <Table
      stacked
      label={pageHeadings['/dashboard/billing/invoices'].title}
      head={
        <>
          <HeadCell>Number</HeadCell>
          <HeadCell>Description</HeadCell>
          <HeadCell>Date</HeadCell>
          <HeadCell align="right">Amount</HeadCell>
          <HeadCell>Status</HeadCell>
          <HeadCell>
            <span className="sr-only">PDF</span>
          </HeadCell>
        </>
      }
    >
      {invoices.map((invoice) => (
        <StackedRow
          key={invoice.id}
          className="max-md:grid max-md:grid-cols-[minmax(0,1fr)_auto] max-md:gap-x-3 max-md:gap-y-0.5"
        >
          <Cell className="font-mono text-small whitespace-nowrap">{invoice.number}</Cell>
          <Cell className="max-md:row-start-2 max-md:text-muted md:w-full md:max-w-0 md:min-w-40 md:truncate">
            {invoice.description}
          </Cell>
          <Cell className="whitespace-nowrap max-md:row-start-3 max-md:text-muted">
            {formatDate(invoice.created_at)}
          </Cell>
          <Cell align="right" className="max-md:col-start-2 max-md:row-span-2 max-md:row-start-2 max-md:max-w-40">
            {formatMoney(invoice.amount, invoice.currency, true)}
            <TaxLine invoice={invoice} />
          </Cell>
          <Cell className="max-md:col-start-2 max-md:row-start-1 max-md:justify-self-end">
            <Badge tone={invoice.status === 'paid' ? 'success' : invoice.status === 'open' ? 'warning' : 'neutral'}>
              <span className="capitalize">{invoice.status}</span>
            </Badge>
          </Cell>
          <Cell align="right" className="max-md:col-span-2 max-md:row-start-4">
            <span className="flex gap-1 max-md:-mx-2.5 md:-mr-2.5 md:justify-end">
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
        </StackedRow>
      ))}
      {invoices.length > 1 && (
        <StackedRow className="bg-sunken max-md:flex max-md:justify-between max-md:gap-3">
          <Cell>{text.paid}</Cell>
          <Cell colSpan={2} className="max-md:hidden" />
          <Cell align="right" className="font-strong">
            {paidText(invoices, invoices[0]!.currency)}
          </Cell>
          <Cell colSpan={2} className="max-md:hidden" />
        </StackedRow>
      )}
    </Table>
  )
}
