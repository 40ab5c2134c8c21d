export const statementKinds = ['income', 'balance', 'cash', 'ratios'] as const
export type StatementKind = (typeof statementKinds)[number]

export interface StatementLine {
  name: string
  kind: StatementKind
  /** Shown when no fields are requested. */
  key: boolean
  /** The name in the demo statements' source; null: not taken from there. */
  source: string | null
}

const line = (kind: StatementKind, name: string, source: string | null = null): StatementLine => ({
  name: name.replace('*', ''),
  kind,
  key: name.endsWith('*'),
  source,
})

/**
 * Lines of a statement, in the order of a filing. Amounts in whole units of the currency; `eps` per share; ratios in
 * percent, computed by `ratios.ts` if the source does not have them. A star marks the key lines of each statement.
 */
export const statementLines: readonly StatementLine[] = [
  line('income', 'revenue*', 'Total Revenue'),
  line('income', 'cost_of_revenue*', 'Cost of Revenue'),
  line('income', 'gross_profit*', 'Gross Profit'),
  line('income', 'research_and_development*', 'Research and Development'),
  line('income', 'selling_general_admin*', 'Sales, General and Admin.'),
  line('income', 'non_recurring_items', 'Non-Recurring Items'),
  line('income', 'other_operating_items', 'Other Operating Items'),
  line('income', 'operating_income*', 'Operating Income'),
  line('income', 'other_income_net', "Add'l income/expense items"),
  line('income', 'ebit', 'Earnings Before Interest and Tax'),
  line('income', 'interest_expense', 'Interest Expense'),
  line('income', 'pretax_income*', 'Earnings Before Tax'),
  line('income', 'income_tax*', 'Income Tax'),
  line('income', 'minority_interest', 'Minority Interest'),
  line('income', 'net_income_continuing', 'Net Income-Cont. Operations'),
  line('income', 'net_income*', 'Net Income'),
  line('income', 'net_income_common', 'Net Income Applicable to Common Shareholders'),
  line('income', 'eps*', 'Earnings Per Share'),
  line('income', 'eps_basic'),
  line('income', 'eps_diluted'),
  line('income', 'shares_basic'),
  line('income', 'shares_diluted'),
  line('income', 'dividends_per_share'),
  line('income', 'shares_estimated', 'Estimated Shares Outstanding'),
  line('balance', 'cash_and_equivalents*', 'Cash and Cash Equivalents'),
  line('balance', 'short_term_investments', 'Short-Term Investments'),
  line('balance', 'receivables', 'Net Receivables'),
  line('balance', 'inventory', 'Inventory'),
  line('balance', 'other_current_assets', 'Other Current Assets'),
  line('balance', 'current_assets*', 'Total Current Assets'),
  line('balance', 'long_term_investments', 'Long-Term Investments'),
  line('balance', 'fixed_assets', 'Fixed Assets'),
  line('balance', 'goodwill', 'Goodwill'),
  line('balance', 'intangible_assets', 'Intangible Assets'),
  line('balance', 'other_assets', 'Other Assets'),
  line('balance', 'total_assets*', 'Total Assets'),
  line('balance', 'accounts_payable', 'Accounts Payable'),
  line('balance', 'short_term_debt*', 'Short-Term Debt / Current Portion of Long-Term Debt'),
  line('balance', 'other_current_liabilities', 'Other Current Liabilities'),
  line('balance', 'current_liabilities*', 'Total Current Liabilities'),
  line('balance', 'long_term_debt*', 'Long-Term Debt'),
  line('balance', 'other_liabilities', 'Other Liabilities'),
  line('balance', 'total_liabilities*', 'Total Liabilities'),
  line('balance', 'common_stock', 'Common Stocks'),
  line('balance', 'capital_surplus', 'Capital Surplus'),
  line('balance', 'retained_earnings*', 'Retained Earnings'),
  line('balance', 'treasury_stock', 'Treasury Stock'),
  line('balance', 'other_equity', 'Other Equity'),
  line('balance', 'total_equity*', 'Total Equity'),
  line('balance', 'shares_outstanding'),
  line('cash', 'depreciation*', 'Depreciation'),
  line('cash', 'share_based_compensation'),
  line('cash', 'net_income_adjustments', 'Net Income Adjustments'),
  line('cash', 'change_in_receivables', 'Accounts Receivable'),
  line('cash', 'change_in_inventory', 'Changes in Inventories'),
  line('cash', 'change_in_liabilities', 'Liabilities'),
  line('cash', 'other_operating_activities', 'Other Operating Activities'),
  line('cash', 'operating_cash_flow*', 'Net Cash Flow-Operating'),
  line('cash', 'capital_expenditures*', 'Capital Expenditures'),
  line('cash', 'investments', 'Investments'),
  line('cash', 'other_investing_activities', 'Other Investing Activities'),
  line('cash', 'investing_cash_flow*', 'Net Cash Flows-Investing'),
  line('cash', 'stock_sold_and_bought*', 'Sale and Purchase of Stock'),
  line('cash', 'dividends_paid'),
  line('cash', 'shares_repurchased'),
  line('cash', 'net_borrowings*', 'Net Borrowings'),
  line('cash', 'other_financing_activities', 'Other Financing Activities'),
  line('cash', 'financing_cash_flow*', 'Net Cash Flows-Financing'),
  line('cash', 'fx_effect', 'Effect of Exchange Rate'),
  line('cash', 'net_cash_flow*', 'Net Cash Flow'),
  line('ratios', 'gross_margin*'),
  line('ratios', 'operating_margin*'),
  line('ratios', 'pretax_margin*'),
  line('ratios', 'profit_margin*'),
  line('ratios', 'return_on_equity*'),
  line('ratios', 'pretax_return_on_equity*'),
  line('ratios', 'current_ratio*'),
  line('ratios', 'quick_ratio*'),
  line('ratios', 'cash_ratio*'),
]
