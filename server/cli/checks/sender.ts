import { Resolver } from 'node:dns/promises'
import type { Report } from './report.ts'

/** Two servers that do not answer cost 4 s; all questions are asked at once. */
const ASK = { timeout: 2_000, tries: 1, maxTimeout: 2_000 }
/** Domains that exist nowhere (RFC 2606). */
const NOWHERE = /(^|\.)(localhost|test|invalid|example|local)$|(^|\.)example\.(com|net|org)$/

interface Sender {
  /** The address that mails come from. */
  address: string
  /** Under which its mail server signs; undefined: unknown. */
  selector: string | undefined
}

/**
 * Whether DNS says that the mail server may send for the sender's domain (SPF), how its signatures are checked (DKIM), and what becomes
 * of forged mails (DMARC). Where DNS cannot be asked, a note says so.
 */
export async function checkSender(
  { address, selector }: Sender,
  report: Report,
  resolver: Pick<Resolver, 'resolveTxt'> = new Resolver(ASK),
): Promise<void> {
  const domain = address.split('@').at(-1)!.toLowerCase()
  if (NOWHERE.test(domain)) return
  const texts = async (name: string): Promise<string[]> => {
    try {
      return (await resolver.resolveTxt(name)).map((parts) => parts.join('').trim())
    } catch (error) {
      if (['ENOTFOUND', 'ENODATA'].includes((error as NodeJS.ErrnoException).code ?? '')) return []
      throw error
    }
  }
  /** Mail servers look at the domain above, too, if a domain has no record of its own. */
  const policies = async (name: string): Promise<string[]> => {
    const own = (await texts(`_dmarc.${name}`)).filter((text) => /^v=DMARC1\s*(;|$)/.test(text))
    const above = name.slice(name.indexOf('.') + 1)
    return own.length > 0 || !above.includes('.') ? own : policies(above)
  }
  try {
    const [all, keys, dmarc] = await Promise.all([
      texts(domain),
      selector === undefined ? null : texts(`${selector}._domainkey.${domain}`),
      policies(domain),
    ])
    checkSpf(
      domain,
      all.filter((text) => /^v=spf1(\s|$)/i.test(text)),
      report,
    )
    checkDkim(domain, selector, keys, report)
    if (dmarc.length === 1) report.ok(`DMARC of ${domain}`)
    else if (dmarc.length === 0)
      report.wrong(
        `${domain} has no DMARC record, which large mail providers require: add the TXT record _dmarc.${domain} with "v=DMARC1; p=none"`,
      )
    else report.wrong(`${domain} has ${dmarc.length} DMARC records, so none counts: leave one`)
  } catch (error) {
    const { code = 'no answer' } = error as NodeJS.ErrnoException
    report.note(`DNS could not be asked about ${domain} (${code}): SPF, DKIM and DMARC of the sender are not checked`)
  }
}

function checkSpf(domain: string, records: readonly string[], report: Report): void {
  if (records.length === 0)
    report.wrong(
      `${domain} has no SPF record, so its mails are taken for forged ones: add a TXT record that names your mail server, such as "v=spf1 include:mail.example.com -all"`,
    )
  else if (records.length > 1)
    report.wrong(`${domain} has ${records.length} SPF records, so none counts: make one of them`)
  else if (/\s\+?all(\s|$)/i.test(records[0]!))
    report.wrong(`The SPF record of ${domain} ends with "all", which lets anybody send in its name: write -all`)
  else report.ok(`SPF of ${domain}`)
}

function checkDkim(domain: string, selector: string | undefined, keys: readonly string[] | null, report: Report): void {
  if (keys === null) {
    report.note(`DKIM of ${domain} is not checked: set MAIL_DKIM_SELECTOR to the selector of your mail provider`)
    return
  }
  const name = `${selector}._domainkey.${domain}`
  const key = keys.find((text) => /(^|;)\s*p=/.test(text))
  if (key === undefined)
    report.wrong(`There is no DKIM key at ${name}: add the TXT record that your mail provider shows`)
  else if (/(^|;)\s*p=\s*(;|$)/.test(key)) report.wrong(`The DKIM key at ${name} is revoked: add the current one`)
  else report.ok(`DKIM of ${domain}`)
}
