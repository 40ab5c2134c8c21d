/** The style of the consent page, deliberately unlike either provider's. Colors meet WCAG AA in both themes. */
export const style = `
:root{color-scheme:light dark;--page:#f4f5f7;--card:#fff;--line:#d5d9df;--ink:#16191d;--quiet:#555d68;--accent:#1f5fd6;--on-accent:#fff;--chosen:#eef3fd;--mark:#8a4b00;--mark-page:#fff3df;--bad:#b3261e}
@media (prefers-color-scheme:dark){:root{--page:#0f1114;--card:#181b20;--line:#343a43;--ink:#eceef1;--quiet:#a3abb7;--accent:#7fabff;--on-accent:#0b1220;--chosen:#1d2735;--mark:#ffc976;--mark-page:#33260f;--bad:#ff9d94}}
*{box-sizing:border-box}
body{margin:0;background:var(--page);color:var(--ink);font:14px/20px system-ui,-apple-system,'Segoe UI',Roboto,sans-serif}
main{max-width:30rem;margin:0 auto;padding:24px 16px 32px}
@media (min-width:32rem){main{margin:6vh auto;padding:32px;background:var(--card);border:1px solid var(--line);border-radius:12px}}
header{display:flex;gap:12px;align-items:flex-start;padding:10px 12px;margin-bottom:24px;border-radius:8px;background:var(--mark-page);color:var(--mark)}
header p{margin:0}
.badge{font-weight:600;letter-spacing:.06em;border:1px solid currentColor;border-radius:6px;padding:0 6px;flex:none}
h1{font-size:20px;line-height:28px;margin:0 0 4px;font-weight:600}
p{margin:0 0 16px;overflow-wrap:anywhere}
code{font:13px ui-monospace,SFMono-Regular,Menlo,monospace}
.quiet{color:var(--quiet)}
fieldset{border:0;margin:0 0 16px;padding:0;min-width:0}
legend,.other>label{display:block;font-weight:600;padding:0;margin-bottom:8px}
.person{display:flex;gap:12px;padding:10px 12px;border:1px solid var(--line);background:var(--card);cursor:pointer;margin-top:-1px}
.person:first-of-type{border-radius:8px 8px 0 0;margin-top:0}
.person:last-of-type{border-radius:0 0 8px 8px}
.person:has(:checked){background:var(--chosen);border-color:var(--accent);position:relative}
.person input{margin:3px 0 0;flex:none;width:16px;height:16px;accent-color:var(--accent)}
.person>span{min-width:0;overflow-wrap:anywhere}
.person .quiet{display:block}
.email{color:var(--quiet)}
.actions,.row{display:flex;gap:8px}
.actions>*{flex:1}
button{font:inherit;font-weight:600;min-height:40px;padding:8px 16px;border-radius:8px;border:1px solid var(--line);background:var(--card);color:var(--ink);cursor:pointer}
.primary{background:var(--accent);border-color:var(--accent);color:var(--on-accent)}
.other{margin-top:24px;padding-top:20px;border-top:1px solid var(--line)}
input[type=email]{flex:1;min-width:0;font:inherit;min-height:40px;padding:8px 12px;border-radius:8px;border:1px solid var(--quiet);background:var(--card);color:var(--ink)}
:focus-visible{outline:2px solid var(--accent);outline-offset:2px}
.mistake{color:var(--bad);margin:8px 0 0}
`
