import { look } from '../../look.ts'

/** The stylesheet of all pages. */
export const stylesheet = `${look}
.banner{padding:8px 16px;border-bottom:1px solid var(--warning-line);background:var(--warning-soft);color:var(--warning);text-align:center}
main{max-width:544px;margin:8vh auto;padding:0 16px;display:grid;gap:16px;overflow-wrap:anywhere}
@media (max-width:32rem){main{margin-top:24px}}
section{background:var(--card);border:1px solid var(--line);border-radius:var(--radius-card);padding:20px;display:grid;gap:12px;min-width:0}
h2{font-size:14px;line-height:20px;margin:0} p{margin:0}
.soft{color:var(--quiet)} .total{font-size:36px;line-height:44px;letter-spacing:-.02em;font-weight:560} .total small{font-size:14px;letter-spacing:0;font-weight:400}
table{width:100%;border-collapse:collapse} th{font-size:12px;font-weight:560;color:var(--quiet);overflow-wrap:normal}
th,td{text-align:left;padding:10px 8px 10px 0;border-bottom:1px solid var(--line);vertical-align:top}
tr:last-child td{border-bottom:0}
th.num,td.num{text-align:right;padding-right:0;white-space:nowrap}
ul{margin:0;padding:0;list-style:none;display:grid;gap:8px} form{display:grid;gap:8px} label{display:grid;gap:6px;font-weight:560}
form>button{width:100%} .buyer{display:grid;gap:12px} input[type=text]{min-height:36px;padding:6px 14px;border-radius:var(--radius-control);border:1px solid var(--edge);background:var(--card);font-weight:400;width:100%;min-width:0} select{font-weight:400;width:100%}
fieldset{border:0;margin:0 0 4px;padding:0;min-width:0} legend{font-weight:560;padding:0;margin-bottom:8px}
.card{display:flex;gap:12px;padding:10px 12px;border:1px solid var(--line);margin-top:-1px;cursor:pointer} .card .soft{font-weight:400}
.card:first-of-type{border-radius:var(--radius-control) var(--radius-control) 0 0;margin-top:0} .card:last-of-type{border-radius:0 0 var(--radius-control) var(--radius-control)}
.card:has(:checked){background:var(--accent-soft);border-color:var(--accent-line);position:relative} .card input{margin:2px 0 0;width:16px;height:16px;flex:none;accent-color:var(--accent)}
.outcomes{display:grid;gap:8px;grid-template-columns:repeat(auto-fit,minmax(200px,1fr));margin-top:8px;padding-top:16px;border-top:1px solid var(--line)}
.outcomes p{grid-column:1/-1;color:var(--quiet)}
.notice{border:1px solid var(--danger-line);border-radius:var(--radius-control);padding:10px 12px;color:var(--danger);background:var(--danger-soft)}
.badge{border:1px solid var(--line);border-radius:999px;padding:0 8px;white-space:nowrap;text-transform:capitalize}
`
