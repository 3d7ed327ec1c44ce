// HTML pages of the platform itself, such as the API reference and the status page.
import type { ServerResponse } from 'node:http'
import { pageStyle, writePage } from '../lib/html.ts'
import { RawAnswer } from './call.ts'

const style = pageStyle(`main{max-width:60rem;margin:0 auto;padding:3rem 1.25rem 5rem}
h1{margin:0 0 .5rem}h2{margin:2.5rem 0 .75rem;font-size:1.125rem}
li{color:var(--soft)}a{color:var(--accent)}
code,pre{font:.86em/1.5 ui-monospace,monospace}
pre{overflow:auto;background:var(--paper);border:1px solid var(--line);border-radius:8px;padding:.75rem;margin:.5rem 0 0}
details{background:var(--surface);border:1px solid var(--line);border-radius:10px;margin:.5rem 0;padding:.6rem .9rem}
summary{cursor:pointer;overflow-wrap:anywhere}summary span,summary em{color:var(--soft)}summary span{margin-left:.6rem}summary em{font-size:.85em;margin-left:.4rem}
.method{display:inline-block;min-width:4.2rem;font-weight:600}
.good{color:var(--green)}.bad{color:var(--red)}
table{border-collapse:collapse;width:100%;font-size:.92rem}td,th{text-align:left;vertical-align:top;padding:.35rem .75rem .35rem 0;border-bottom:1px solid var(--line)}
`)

const headersOf = (html: string, formAction: "'none'" | "'self'") => ({
  'content-type': 'text/html; charset=utf-8',
  'content-length': String(Buffer.byteLength(html)),
  'content-security-policy': `default-src 'none'; style-src ${style.source}; base-uri 'none'; form-action ${formAction}; frame-ancestors 'none'`,
  'cache-control': 'no-cache',
  'x-content-type-options': 'nosniff',
})

export function answerPage(res: ServerResponse, status: number, title: string, body: string): void {
  const html = writePage(title, style, body)
  res.writeHead(status, headersOf(html, "'none'"))
  res.end(html)
}

/** The page of an endpoint. Its URL may contain a secret, so no browser passes the URL on. */
export function ownPage(title: string, body: string): RawAnswer {
  const html = writePage(title, style, body)
  return new RawAnswer(200, { ...headersOf(html, "'self'"), 'referrer-policy': 'no-referrer' }, html)
}
