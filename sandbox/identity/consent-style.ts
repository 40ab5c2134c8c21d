import { look } from '../look.ts'

/** The style of the consent pages and the mailbox. */
export const style = `${look}
main{max-width:30rem;margin:0 auto;padding:24px 16px 32px}
@media (min-width:32rem){main{margin:8vh auto;padding:32px;background:var(--card);border:1px solid var(--line);border-radius:var(--radius-card);box-shadow:var(--shadow-raised)}}
header{display:flex;gap:12px;align-items:flex-start;padding:10px 12px;margin-bottom:24px;border:1px solid var(--warning-line);border-radius:var(--radius-control);background:var(--warning-soft);color:var(--warning)}
header p{margin:0}
.badge{font-weight:560;letter-spacing:.04em;flex:none}
h1{margin-bottom:4px}
p{margin:0 0 16px;overflow-wrap:anywhere}
code{font-size:13px}
.quiet,.email{color:var(--quiet)}
fieldset{border:0;margin:0 0 16px;padding:0;min-width:0}
form>label{display:block;font-weight:560;padding:0;margin-bottom:8px}
.person{display:flex;gap:12px;padding:10px 12px;border:1px solid var(--line);background:var(--card);cursor:pointer;margin-top:-1px}
.person:first-of-type{border-radius:var(--radius-control) var(--radius-control) 0 0;margin-top:0}
.person:last-of-type{border-radius:0 0 var(--radius-control) var(--radius-control)}
.person:has(:checked){background:var(--accent-soft);border-color:var(--accent-line);position:relative}
.person input{margin:2px 0 0;flex:none;width:16px;height:16px;accent-color:var(--accent)}
.person>span{min-width:0;overflow-wrap:anywhere}
.person .quiet{display:block}
.actions,.row{display:flex;gap:8px}
form>input[type=email]{width:100%;margin-bottom:8px}
details{margin-top:24px;padding-top:16px;border-top:1px solid var(--line)}
summary{cursor:pointer;color:var(--quiet);font-weight:560;border-radius:var(--radius-control)}
summary:hover{color:var(--ink)}
details form{margin-top:12px}
details button{width:100%}
.actions>*{flex:1}
input[type=email]{flex:1;min-width:0}
.mistake{color:var(--danger)}
`
