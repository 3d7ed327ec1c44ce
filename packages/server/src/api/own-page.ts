// Pages of the API: the API reference, the status page, and the pages behind links in emails.
import type { ServerResponse } from 'node:http'
import { pageStyle, renderPage } from '../lib/html.ts'
import { RawAnswer } from './call.ts'

const css = `main{max-width:60rem;margin:0 auto;padding:3rem 1.25rem 5rem}
h1{margin:0 0 .5rem}h2{margin:2.5rem 0 .75rem;font-size:1.125rem}
li{color:var(--soft)}a{color:var(--accent)}
code,pre{font:.86em/1.5 ui-monospace,monospace}
pre{overflow:auto;background:var(--paper);border:1px solid var(--line);border-radius:8px;padding:.75rem;margin:.5rem 0 0}
details{background:var(--surface);border:1px solid var(--line);border-radius:10px;margin:.5rem 0;padding:.6rem .9rem}
summary{cursor:pointer;overflow-wrap:anywhere}summary span,summary em{color:var(--soft)}summary span{margin-left:.6rem}summary em{font-size:.85em;margin-left:.4rem}
.method{display:inline-block;min-width:4.2rem;font-weight:600}
.good{color:var(--green)}.bad{color:var(--red)}
table{border-collapse:collapse;width:100%;font-size:.92rem}td,th{text-align:left;vertical-align:top;padding:.35rem .75rem .35rem 0;border-bottom:1px solid var(--line)}
`
const plain = pageStyle([css])
const withForm = pageStyle([css], { formAction: "'self'" })

const revalidated = { 'Cache-Control': 'no-cache' }

export function answerPage(res: ServerResponse, status: number, title: string, body: string): void {
  const { html, headers } = renderPage(title, plain, body)
  res.writeHead(status, { ...headers, ...revalidated })
  res.end(html)
}

/** A page of an endpoint. Its URL may hold a secret, so browsers must not send it as the Referer. It may hold a form. */
export function ownPage(title: string, body: string): RawAnswer {
  const { html, headers } = renderPage(title, withForm, body)
  return new RawAnswer(200, { ...headers, ...revalidated, 'Referrer-Policy': 'no-referrer' }, html)
}
