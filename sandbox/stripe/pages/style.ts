/** The stylesheet of all pages; light or dark follows the system. */
export const stylesheet = `
:root { color-scheme: light dark; --page: #f7f7f8; --card: #fff; --text: #18181b; --soft: #5b5b66; --line: #d4d4dc; --accent: #1f5fd0; --on: #fff; --warn: #6b4200; --warn-back: #fff4d6; --bad: #a3161f }
@media (prefers-color-scheme: dark) { :root { --page: #0e0e11; --card: #17171b; --text: #f2f2f4; --soft: #a6a6b3; --line: #3a3a44; --accent: #7aa7ff; --on: #0b1020; --warn: #ffd98a; --warn-back: #35280c; --bad: #ff9a9f } }
* { box-sizing: border-box }
body { margin: 0; background: var(--page); color: var(--text); font: 14px/20px system-ui, sans-serif; font-variant-numeric: tabular-nums }
.banner { margin: 0; padding: 8px 16px; background: var(--warn-back); color: var(--warn); text-align: center }
main { max-width: 560px; margin: 24px auto; padding: 0 16px; display: grid; gap: 16px; overflow-wrap: anywhere }
section { background: var(--card); border: 1px solid var(--line); border-radius: 12px; padding: 20px; display: grid; gap: 12px }
h1 { font-size: 20px; line-height: 28px; margin: 0 } h2 { font-size: 16px; line-height: 24px; margin: 0 } p { margin: 0 }
.soft { color: var(--soft) } .total { font-size: 28px; line-height: 36px; font-weight: 600 } .total small { font-size: 14px; font-weight: 400 }
table { width: 100%; border-collapse: collapse } th { font-weight: 500; color: var(--soft) }
th, td { text-align: left; padding: 8px 8px 8px 0; border-bottom: 1px solid var(--line); vertical-align: top }
tr:last-child td { border-bottom: 0 } th { overflow-wrap: normal }
th.num, td.num { text-align: right; padding-right: 0; white-space: nowrap }
form { display: grid; gap: 8px } label { display: grid; gap: 4px; color: var(--soft) }
select, button { font: inherit; min-height: 40px; padding: 8px 12px; border-radius: 8px; border: 1px solid var(--line); background: var(--card); color: var(--text); width: 100% }
button { cursor: pointer; font-weight: 500 } button:hover { border-color: var(--text) }
button.primary { background: var(--accent); border-color: var(--accent); color: var(--on) }
a { color: var(--accent) } :focus-visible { outline: 2px solid var(--accent); outline-offset: 2px }
.notice { border: 1px solid var(--bad); border-left-width: 4px; border-radius: 8px; padding: 8px 12px; color: var(--bad); background: var(--card) }
.badge { border: 1px solid var(--line); border-radius: 999px; padding: 0 8px; white-space: nowrap }
`
