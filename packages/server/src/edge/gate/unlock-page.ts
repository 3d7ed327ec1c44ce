// The page that asks for a site's password. It works without scripts and takes nothing from elsewhere.
import { createHash } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { type ErrorCode, errors } from '@svc/contract'
import { acceptsHtml, unstored } from '../pages.ts'

export interface UnlockPage {
  host: string
  /** Where the visitor wanted to go; a path of the site. */
  to: string
  code: ErrorCode
  /** What went wrong with the last try; without it this is the first. */
  problem?: string
  headers?: string[]
}

const style = `
:root{color-scheme:light dark;--paper:light-dark(#faf9f7,#121211);--surface:light-dark(#fff,#1a1918);--line:light-dark(#d5d2cb,#403d3a);--ink:light-dark(#1b1a18,#efeeea);--soft:light-dark(#55524c,#b1ada5);--on-ink:light-dark(#fff,#151413);--ink-hover:light-dark(#3a3834,#fff);--focus:light-dark(#c4400c,#ff8a58);--red:light-dark(#b3202f,#ff8087);--wash:light-dark(#fdf2ec,#2a1a13)}
*{box-sizing:border-box}
body{margin:0;min-height:100vh;min-height:100dvh;display:grid;place-items:center;padding:1.5rem 1.25rem 5rem;background:var(--paper);color:var(--ink);font:1rem/1.5 -apple-system,"Segoe UI Variable Text","Segoe UI",Inter,Roboto,Cantarell,"Noto Sans","Helvetica Neue",Arial,sans-serif;-webkit-font-smoothing:antialiased}
main{width:100%;max-width:23rem}
.lock{display:grid;place-items:center;width:2.75rem;height:2.75rem;border-radius:12px;background:var(--wash);color:var(--focus)}
h1{margin:1.25rem 0 0;font-size:1.375rem;line-height:1.25;letter-spacing:-.022em}
p{margin:.5rem 0 0;color:var(--soft);overflow-wrap:anywhere}
strong{color:var(--ink);font-weight:500}
form{display:grid;gap:.375rem;margin-top:1.5rem}
label{font-size:.875rem;font-weight:500}
input{width:100%;height:2.75rem;padding:0 .75rem;border:1px solid var(--line);border-radius:8px;background:var(--surface);color:inherit;font:inherit}
input:focus-visible{border-color:var(--focus);outline:1px solid var(--focus)}
input[aria-invalid]{border-color:var(--red)}
.problem{margin:.125rem 0 0;color:var(--red);font-size:.875rem}
button{height:2.75rem;margin-top:.75rem;border:0;border-radius:8px;background:var(--ink);color:var(--on-ink);font:inherit;font-weight:500;cursor:pointer}
button:hover{background:var(--ink-hover)}
button:focus-visible{outline:2px solid var(--focus);outline-offset:2px}
`
const styleHash = createHash('sha256').update(style).digest('base64')
const policy = `default-src 'none'; style-src 'sha256-${styleHash}'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'`

const lock =
  '<svg width="22" height="22" viewBox="0 0 22 22" fill="none" stroke="currentColor" stroke-width="1.75" stroke-linecap="round" stroke-linejoin="round"><rect x="4" y="9.5" width="14" height="9" rx="2.5"/><path d="M7.5 9.500V6.500a3.500 3.500 0 0 1 7 0v3M11 13v2"/></svg>'

export const unlockPath = '/_svc/unlock'

export function sendUnlockPage(req: IncomingMessage, res: ServerResponse, page: UnlockPage): void {
  const html = acceptsHtml(req)
  const body = Buffer.from(html ? write(page) : json(page))
  const { status } = errors[page.code]
  res.writeHead(status, [
    'Content-Type',
    html ? 'text/html; charset=utf-8' : 'application/json; charset=utf-8',
    'Content-Length',
    String(body.length),
    ...unstored,
    'X-Content-Type-Options',
    'nosniff',
    'X-Robots-Tag',
    'noindex',
    'Content-Security-Policy',
    policy,
    // The form's own origin must be seen when it comes back.
    'Referrer-Policy',
    'same-origin',
    ...(status === 401 ? ['WWW-Authenticate', `Cookie realm="site", form-action="${unlockPath}"`] : []),
    ...(page.headers ?? []),
  ])
  res.end(body)
}

function write({ host, to, problem }: UnlockPage): string {
  const invalid = problem === undefined ? '' : ' aria-invalid="true" aria-describedby="problem"'
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width,initial-scale=1">
<title>${problem === undefined ? '' : 'Try again: '}Password needed · ${escapeHtml(host)}</title>
<style>${style}</style>
</head>
<body>
<main>
<div class="lock" aria-hidden="true">${lock}</div>
<h1>Password needed</h1>
<p>Enter the password to see <strong>${escapeHtml(host)}</strong>.</p>
<form method="post" action="${unlockPath}">
<input type="hidden" name="to" value="${escapeHtml(to)}">
<label for="password">Password</label>
<input id="password" name="password" type="password" required autofocus autocomplete="current-password" autocapitalize="none" spellcheck="false"${invalid}>
${problem === undefined ? '' : `<p class="problem" id="problem" role="alert">${escapeHtml(problem)}</p>`}
<button>Unlock</button>
</form>
</main>
</body>
</html>
`
}

const json = ({ code, problem = 'This site asks for a password.' }: UnlockPage): string =>
  `${JSON.stringify({ error: { code, message: problem } })}\n`

const escapeHtml = (text: string): string => text.replace(/[&<>"']/g, c => `&#${c.charCodeAt(0)};`)
