// The frame of the platform's own small pages: no script, no outside resource.
import { createHash } from 'node:crypto'
import type { ServerResponse } from 'node:http'

const style = `
:root{color-scheme:light dark;--ink:#16181d;--soft:#5d6470;--line:#e3e5e9;--back:#fbfbfc;--card:#fff;--good:#0a7d43;--bad:#b42318;--accent:#b93a0c}
@media (prefers-color-scheme:dark){:root{--ink:#eceef2;--soft:#9aa1ad;--line:#2a2e36;--back:#0f1115;--card:#161920;--good:#4ccb8a;--bad:#ff8a80;--accent:#ff8f5e}}
*{box-sizing:border-box}
body{margin:0;background:var(--back);color:var(--ink);font:16px/1.6 ui-sans-serif,system-ui,sans-serif}
main{max-width:60rem;margin:0 auto;padding:3rem 1.25rem 5rem}
h1{font-size:1.8rem;letter-spacing:-.02em;margin:0 0 .5rem}h2{margin:2.5rem 0 .75rem;font-size:1.15rem}
p,li{color:var(--soft)}a{color:var(--accent)}
code,pre{font:.86em/1.5 ui-monospace,monospace}
pre{overflow:auto;background:var(--back);border:1px solid var(--line);border-radius:8px;padding:.75rem;margin:.5rem 0 0}
details{background:var(--card);border:1px solid var(--line);border-radius:10px;margin:.5rem 0;padding:.6rem .9rem}
summary{cursor:pointer;overflow-wrap:anywhere}summary span,summary em{color:var(--soft)}summary span{margin-left:.6rem}summary em{font-size:.85em;margin-left:.4rem}
.method{display:inline-block;min-width:4.2rem;font-weight:600}
.good{color:var(--good)}.bad{color:var(--bad)}
table{border-collapse:collapse;width:100%;font-size:.92rem}td,th{text-align:left;vertical-align:top;padding:.35rem .75rem .35rem 0;border-bottom:1px solid var(--line)}
`

const policy = `default-src 'none'; style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`

export const escapeHtml = (text: string): string => text.replace(/[&<>"']/g, c => `&#${c.charCodeAt(0)};`)

export function answerPage(res: ServerResponse, status: number, title: string, body: string): void {
  const html = `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1"><title>${escapeHtml(title)}</title><style>${style}</style></head><body><main>${body}</main></body></html>`
  res.writeHead(status, {
    'content-type': 'text/html; charset=utf-8',
    'content-length': Buffer.byteLength(html),
    'content-security-policy': policy,
    'cache-control': 'no-cache',
    'x-content-type-options': 'nosniff',
  })
  res.end(html)
}
