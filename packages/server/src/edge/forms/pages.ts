// The pages after a form: thanks, or what went wrong. They work without scripts and take nothing from elsewhere.
import { createHash } from 'node:crypto'
import type { ServerResponse } from 'node:http'
import { unstored } from '../pages.ts'

export interface FormPage {
  status: number
  tone: 'thanks' | 'problem'
  title: string
  text: string
  /** A path of the site. */
  back: string
}

const style = `
:root{color-scheme:light dark;--paper:light-dark(#faf9f7,#121211);--line:light-dark(#d5d2cb,#403d3a);--ink:light-dark(#1b1a18,#efeeea);--soft:light-dark(#55524c,#b1ada5);--hover:light-dark(#f1f0ec,#211f1e);--focus:light-dark(#c4400c,#ff8a58);--green:light-dark(#14713d,#55c784);--green-wash:light-dark(#e7f5ec,#12261a);--red:light-dark(#b3202f,#ff8087);--red-wash:light-dark(#fdecee,#2c1517)}
*{box-sizing:border-box}
body{margin:0;min-height:100vh;min-height:100dvh;display:grid;place-items:center;padding:1.5rem 1.25rem 5rem;background:var(--paper);color:var(--ink);font:1rem/1.5 -apple-system,"Segoe UI Variable Text","Segoe UI",Inter,Roboto,Cantarell,"Noto Sans","Helvetica Neue",Arial,sans-serif;-webkit-font-smoothing:antialiased}
main{width:100%;max-width:26rem}
.sign{display:grid;place-items:center;width:2.75rem;height:2.75rem;border-radius:50%}
.thanks{background:var(--green-wash);color:var(--green)}
.problem{background:var(--red-wash);color:var(--red)}
h1{margin:1.25rem 0 0;font-size:1.5rem;line-height:1.25;letter-spacing:-.022em}
p{margin:.5rem 0 0;color:var(--soft);overflow-wrap:anywhere}
a{display:inline-flex;align-items:center;height:2.75rem;margin-top:1.5rem;padding:0 1.125rem;border:1px solid var(--line);border-radius:8px;color:inherit;font-weight:500;text-decoration:none}
a:hover{background:var(--hover)}
a:focus-visible{outline:2px solid var(--focus);outline-offset:2px}
`
const styleHash = createHash('sha256').update(style).digest('base64')
const policy = `default-src 'none'; style-src 'sha256-${styleHash}'; base-uri 'none'; form-action 'none'; frame-ancestors 'self'`

const strokes = { thanks: 'm5 11.500 4.250 4.250L17 7', problem: 'M11 5.500v7M11 16v.1' }
const sign = (tone: FormPage['tone']): string =>
  `<svg width="22" height="22" viewBox="0 0 22 22" fill="none" stroke="currentColor" stroke-width="2" stroke-linecap="round" stroke-linejoin="round"><path d="${strokes[tone]}"/></svg>`

export function sendFormPage(res: ServerResponse, page: FormPage): void {
  const body = Buffer.from(write(page))
  res.writeHead(page.status, [
    'Content-Type',
    'text/html; charset=utf-8',
    'Content-Length',
    String(body.length),
    ...unstored,
    'X-Content-Type-Options',
    'nosniff',
    'X-Robots-Tag',
    'noindex',
    'Content-Security-Policy',
    policy,
  ])
  res.end(body)
}

const write = ({ tone, title, text, back }: FormPage): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width,initial-scale=1">
<title>${title}</title>
<style>${style}</style>
</head>
<body>
<main>
<div class="sign ${tone}" aria-hidden="true">${sign(tone)}</div>
<h1>${title}</h1>
<p>${escapeHtml(text)}</p>
<a href="${escapeHtml(back)}">Back to the site</a>
</main>
</body>
</html>
`

const escapeHtml = (text: string): string => text.replace(/[&<>"']/g, c => `&#${c.charCodeAt(0)};`)
