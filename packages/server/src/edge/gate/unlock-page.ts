// The page that asks for a site's password. It needs no scripts and loads nothing.
import { type ErrorCode, errors } from '@svc/contract'
import { centred, escapeHtml, htmlType, pageStyle, writePage } from '../../lib/html.ts'
import type { Exchange } from '../exchange.ts'
import { acceptsHtml, errorLine, jsonType, sendPlatformAnswer } from '../pages.ts'

interface UnlockPage {
  /** The path that the visitor requested, to return to after the password. */
  to: string
  code: ErrorCode
  /** Why the last attempt failed. `undefined` before the first attempt. */
  problem?: string
  headers?: string[]
}

const style = pageStyle(
  [
    centred,
    `main{max-width:23rem}
h1{font-size:1.375rem}
.lock{display:grid;place-items:center;width:2.75rem;height:2.75rem;border-radius:12px;background:var(--accent-wash);color:var(--accent)}
strong{color:var(--ink);font-weight:500}
form{display:grid;gap:.375rem;margin-top:1.5rem}
label{font-size:.875rem;font-weight:500}
input{width:100%;height:2.75rem;padding:0 .75rem;border:1px solid var(--line-strong);border-radius:8px;background:var(--surface);color:inherit;font:inherit}
input:focus-visible{border-color:var(--accent);outline:1px solid var(--accent)}
input[aria-invalid]{border-color:var(--red)}
.problem{margin:.125rem 0 0;color:var(--red);font-size:.875rem}
button{height:2.75rem;margin-top:.75rem;border:0;border-radius:8px;background:var(--ink);color:var(--on-ink);font:inherit;font-weight:500;cursor:pointer}
button:hover{background:var(--ink-hover)}
button:focus-visible{outline:2px solid var(--accent);outline-offset:2px}
`,
  ],
  { formAction: "'self'" },
)

const lock =
  '<svg width="22" height="22" viewBox="0 0 22 22" fill="none" stroke="currentColor" stroke-width="1.75" stroke-linecap="round" stroke-linejoin="round"><rect x="4" y="9.5" width="14" height="9" rx="2.5"/><path d="M7.5 9.500V6.500a3.500 3.500 0 0 1 7 0v3M11 13v2"/></svg>'

export const unlockPath = '/_svc/unlock'

export function sendUnlockPage(exchange: Exchange, page: UnlockPage): void {
  const { status } = errors[page.code]
  const headers = [
    'X-Robots-Tag',
    'noindex',
    // With this policy, browsers send the Origin header with the form. `isForeign` reads it.
    'Referrer-Policy',
    'same-origin',
    ...(status === 401 ? ['WWW-Authenticate', `Cookie realm="site", form-action="${unlockPath}"`] : []),
    ...(page.headers ?? []),
  ]
  const [type, body] = acceptsHtml(exchange.req)
    ? [htmlType, write(exchange.hostname, page)]
    : [jsonType, errorLine(page.code, page.problem ?? 'This site asks for a password.', exchange.requestId)]
  sendPlatformAnswer(exchange, { status, type, body, policy: style.policy, headers })
}

function write(host: string, { to, problem }: UnlockPage): string {
  const invalid = problem === undefined ? '' : ' aria-invalid="true" aria-describedby="problem"'
  return writePage(
    `${problem === undefined ? '' : 'Try again: '}Password needed · ${host}`,
    style,
    `<div class="lock" aria-hidden="true">${lock}</div>
<h1>Password needed</h1>
<p>Enter the password to see <strong>${escapeHtml(host)}</strong>.</p>
<form method="post" action="${unlockPath}">
<input type="hidden" name="to" value="${escapeHtml(to)}">
<label for="password">Password</label>
<input id="password" name="password" type="password" required autofocus autocomplete="current-password" autocapitalize="none" spellcheck="false"${invalid}>
${problem === undefined ? '' : `<p class="problem" id="problem" role="alert">${escapeHtml(problem)}</p>`}
<button>Unlock</button>
</form>`,
  )
}
