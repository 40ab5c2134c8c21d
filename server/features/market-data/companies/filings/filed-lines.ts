/** How a line of a statement is read from the tags of filings. */
export interface FiledLine {
  name: string
  /** flow: adds up over quarters. average: of a period, but does not add up (per share, weighted shares). instant: of a day. */
  kind: 'flow' | 'average' | 'instant'
  unit: 'money' | 'per_share' | 'shares'
  /** -1: the tag counts money paid as positive; our cash-flow lines show it as negative. */
  sign: 1 | -1
  /**
   * Tags in groups. Tags of one group mean the same, so the newest filing counts; a later group means something close
   * to it, and is used only where the groups before have nothing.
   */
  groups: readonly (readonly string[])[]
  /** COVER_COUNT of the period's report comes before the groups. */
  cover?: true
  /** If one filing has several tags of a group, the largest is the total and the others are parts of it. */
  largest?: boolean
  /** The difference of two lines, if no tag has the line. */
  difference?: readonly [string, string]
}

/** Shares on the cover page of a report. Companies with several classes usually give no total. */
export const COVER_COUNT = 'dei:EntityCommonStockSharesOutstanding'

const gaap = (tag: string) => `us-gaap:${tag}`
const ifrs = (tag: string) => `ifrs-full:${tag}`
const known = (text: string, taxonomy: (tag: string) => string) => text.split(' ').filter(Boolean).map(taxonomy)

interface Tags extends Partial<Pick<FiledLine, 'unit' | 'sign' | 'cover' | 'largest' | 'difference'>> {
  /** Groups are separated by |. */
  gaap: string
  ifrs?: string
}

/** Groups of both taxonomies side by side: a company that changed from one to the other is one series. */
function groupsOf(inGaap: string, inIfrs: string): string[][] {
  const [a, b] = [inGaap.split('|'), inIfrs.split('|')]
  return Array.from({ length: Math.max(a.length, b.length) }, (_, at) => [
    ...known(a[at] ?? '', gaap),
    ...known(b[at] ?? '', ifrs),
  ])
}

function line(name: string, kind: FiledLine['kind'], { gaap, ifrs = '', ...more }: Tags): FiledLine {
  return { name, kind, unit: 'money', sign: 1, groups: groupsOf(gaap, ifrs), ...more }
}

const perShare = { unit: 'per_share' } as const
const shares = { unit: 'shares' } as const
const paid = { sign: -1 } as const

/** The lines that filings have, by tag. What has no tag in a filing stays empty: it is not estimated. */
export const filedLines: readonly FiledLine[] = [
  line('revenue', 'flow', {
    gaap: 'RevenueFromContractWithCustomerExcludingAssessedTax Revenues SalesRevenueNet RevenueFromContractWithCustomerIncludingAssessedTax | RevenuesNetOfInterestExpense SalesRevenueGoodsNet | InterestAndDividendIncomeOperating',
    ifrs: 'Revenue | RevenueFromContractsWithCustomers',
    largest: true,
  }),
  line('cost_of_revenue', 'flow', {
    gaap: 'CostOfRevenue CostOfGoodsAndServicesSold CostOfGoodsSold | CostOfServices',
    ifrs: 'CostOfSales',
    largest: true,
  }),
  line('gross_profit', 'flow', {
    gaap: 'GrossProfit',
    ifrs: 'GrossProfit',
    difference: ['revenue', 'cost_of_revenue'],
  }),
  line('research_and_development', 'flow', {
    gaap: 'ResearchAndDevelopmentExpense | ResearchAndDevelopmentExpenseExcludingAcquiredInProcessCost',
    ifrs: 'ResearchAndDevelopmentExpense',
  }),
  line('selling_general_admin', 'flow', {
    gaap: 'SellingGeneralAndAdministrativeExpense',
    ifrs: 'SellingGeneralAndAdministrativeExpense',
  }),
  line('costs_and_expenses', 'flow', { gaap: 'CostsAndExpenses' }),
  line('operating_income', 'flow', {
    gaap: 'OperatingIncomeLoss',
    ifrs: 'ProfitLossFromOperatingActivities',
    difference: ['revenue', 'costs_and_expenses'],
  }),
  line('interest_expense', 'flow', {
    gaap: 'InterestExpense InterestExpenseNonoperating | InterestExpenseDebt',
    ifrs: 'InterestExpense | FinanceCosts',
  }),
  line('pretax_income', 'flow', {
    gaap: 'IncomeLossFromContinuingOperationsBeforeIncomeTaxesExtraordinaryItemsNoncontrollingInterest IncomeLossFromContinuingOperationsBeforeIncomeTaxesMinorityInterestAndIncomeLossFromEquityMethodInvestments | IncomeLossFromContinuingOperationsBeforeIncomeTaxes',
    ifrs: 'ProfitLossBeforeTax',
  }),
  line('income_tax', 'flow', { gaap: 'IncomeTaxExpenseBenefit', ifrs: 'IncomeTaxExpenseContinuingOperations' }),
  line('net_income', 'flow', {
    gaap: 'NetIncomeLoss | ProfitLoss | NetIncomeLossAvailableToCommonStockholdersBasic',
    ifrs: 'ProfitLossAttributableToOwnersOfParent | ProfitLoss',
  }),
  line('net_income_common', 'flow', {
    gaap: 'NetIncomeLossAvailableToCommonStockholdersBasic',
    ifrs: 'ProfitLossAttributableToOrdinaryEquityHoldersOfParentEntity',
  }),
  line('minority_interest', 'flow', {
    gaap: 'NetIncomeLossAttributableToNoncontrollingInterest',
    ifrs: 'ProfitLossAttributableToNoncontrollingInterests',
  }),
  line('eps_basic', 'average', {
    gaap: 'EarningsPerShareBasic EarningsPerShareBasicAndDiluted',
    ifrs: 'BasicEarningsLossPerShare',
    ...perShare,
  }),
  line('eps_diluted', 'average', {
    gaap: 'EarningsPerShareDiluted EarningsPerShareBasicAndDiluted | IncomeLossFromContinuingOperationsPerDilutedShare',
    ifrs: 'DilutedEarningsLossPerShare',
    ...perShare,
  }),
  line('shares_basic', 'average', {
    gaap: 'WeightedAverageNumberOfSharesOutstandingBasic WeightedAverageNumberOfShareOutstandingBasicAndDiluted',
    ifrs: 'WeightedAverageShares',
    ...shares,
  }),
  line('shares_diluted', 'average', {
    gaap: 'WeightedAverageNumberOfDilutedSharesOutstanding WeightedAverageNumberOfShareOutstandingBasicAndDiluted',
    ifrs: 'AdjustedWeightedAverageShares',
    ...shares,
  }),
  line('dividends_per_share', 'average', {
    gaap: 'CommonStockDividendsPerShareDeclared | CommonStockDividendsPerShareCashPaid',
    ifrs: 'DividendsRecognisedAsDistributionsToOwnersPerShare',
    ...perShare,
  }),
  line('cash_and_equivalents', 'instant', {
    gaap: 'CashAndCashEquivalentsAtCarryingValue | CashCashEquivalentsRestrictedCashAndRestrictedCashEquivalents | Cash',
    ifrs: 'CashAndCashEquivalents | Cash',
  }),
  line('short_term_investments', 'instant', {
    gaap: 'MarketableSecuritiesCurrent ShortTermInvestments AvailableForSaleSecuritiesCurrent',
  }),
  line('receivables', 'instant', {
    gaap: 'AccountsReceivableNetCurrent ReceivablesNetCurrent',
    ifrs: 'TradeAndOtherCurrentReceivables | CurrentTradeReceivables',
  }),
  line('inventory', 'instant', { gaap: 'InventoryNet', ifrs: 'Inventories' }),
  line('current_assets', 'instant', { gaap: 'AssetsCurrent', ifrs: 'CurrentAssets' }),
  line('fixed_assets', 'instant', {
    gaap: 'PropertyPlantAndEquipmentNet | PropertyPlantAndEquipmentAndFinanceLeaseRightOfUseAssetAfterAccumulatedDepreciationAndAmortization',
    ifrs: 'PropertyPlantAndEquipment',
  }),
  line('goodwill', 'instant', { gaap: 'Goodwill', ifrs: 'Goodwill' }),
  line('intangible_assets', 'instant', {
    gaap: 'IntangibleAssetsNetExcludingGoodwill FiniteLivedIntangibleAssetsNet',
    ifrs: 'IntangibleAssetsOtherThanGoodwill',
  }),
  line('total_assets', 'instant', { gaap: 'Assets', ifrs: 'Assets' }),
  line('accounts_payable', 'instant', {
    gaap: 'AccountsPayableCurrent | AccountsPayableTradeCurrent',
    ifrs: 'TradeAndOtherCurrentPayables',
  }),
  line('short_term_debt', 'instant', {
    gaap: 'DebtCurrent | LongTermDebtCurrent | ShortTermBorrowings',
    ifrs: 'CurrentPortionOfLongtermBorrowings | ShorttermBorrowings',
  }),
  line('current_liabilities', 'instant', { gaap: 'LiabilitiesCurrent', ifrs: 'CurrentLiabilities' }),
  line('long_term_debt', 'instant', {
    gaap: 'LongTermDebtNoncurrent | LongTermDebtAndCapitalLeaseObligations | LongTermDebt | LongTermNotesPayable | ConvertibleDebtNoncurrent',
    ifrs: 'NoncurrentPortionOfNoncurrentBorrowings | LongtermBorrowings',
  }),
  line('liabilities_and_equity', 'instant', { gaap: 'LiabilitiesAndStockholdersEquity', ifrs: 'EquityAndLiabilities' }),
  line('equity_and_minorities', 'instant', {
    gaap: 'StockholdersEquityIncludingPortionAttributableToNoncontrollingInterest | StockholdersEquity',
    ifrs: 'Equity',
  }),
  line('total_liabilities', 'instant', {
    gaap: 'Liabilities',
    ifrs: 'Liabilities',
    difference: ['liabilities_and_equity', 'equity_and_minorities'],
  }),
  line('retained_earnings', 'instant', { gaap: 'RetainedEarningsAccumulatedDeficit', ifrs: 'RetainedEarnings' }),
  line('total_equity', 'instant', {
    gaap: 'StockholdersEquity | StockholdersEquityIncludingPortionAttributableToNoncontrollingInterest',
    ifrs: 'EquityAttributableToOwnersOfParent | Equity',
  }),
  line('shares_outstanding', 'instant', {
    gaap: 'CommonStockSharesOutstanding',
    ifrs: 'NumberOfSharesOutstanding',
    ...shares,
    cover: true,
  }),
  line('depreciation', 'flow', {
    gaap: 'DepreciationDepletionAndAmortization DepreciationAmortizationAndAccretionNet DepreciationAndAmortization',
    ifrs: 'AdjustmentsForDepreciationAndAmortisationExpense',
  }),
  line('share_based_compensation', 'flow', {
    gaap: 'ShareBasedCompensation',
    ifrs: 'AdjustmentsForSharebasedPayments',
  }),
  line('operating_cash_flow', 'flow', {
    gaap: 'NetCashProvidedByUsedInOperatingActivities | NetCashProvidedByUsedInOperatingActivitiesContinuingOperations',
    ifrs: 'CashFlowsFromUsedInOperatingActivities | CashFlowsFromUsedInOperations',
  }),
  line('capital_expenditures', 'flow', {
    gaap: 'PaymentsToAcquirePropertyPlantAndEquipment PaymentsToAcquireProductiveAssets | PaymentsToAcquireOtherPropertyPlantAndEquipment',
    ifrs: 'PurchaseOfPropertyPlantAndEquipmentClassifiedAsInvestingActivities',
    ...paid,
  }),
  line('investing_cash_flow', 'flow', {
    gaap: 'NetCashProvidedByUsedInInvestingActivities | NetCashProvidedByUsedInInvestingActivitiesContinuingOperations',
    ifrs: 'CashFlowsFromUsedInInvestingActivities',
  }),
  line('dividends_paid', 'flow', {
    gaap: 'PaymentsOfDividends | PaymentsOfDividendsCommonStock PaymentsOfOrdinaryDividends',
    ifrs: 'DividendsPaidClassifiedAsFinancingActivities',
    ...paid,
  }),
  line('shares_repurchased', 'flow', {
    gaap: 'PaymentsForRepurchaseOfCommonStock',
    ifrs: 'PaymentsToAcquireOrRedeemEntitysShares',
    ...paid,
  }),
  line('financing_cash_flow', 'flow', {
    gaap: 'NetCashProvidedByUsedInFinancingActivities | NetCashProvidedByUsedInFinancingActivitiesContinuingOperations',
    ifrs: 'CashFlowsFromUsedInFinancingActivities',
  }),
]

export const filedLine = new Map(filedLines.map((one) => [one.name, one]))

/** Every tag that a line is read from. */
export const filedTags: ReadonlySet<string> = new Set([
  COVER_COUNT,
  ...filedLines.flatMap(({ groups }) => groups.flat()),
])
