// The payment page of the sandbox. It needs no script, and sends the choice to its own URL, which holds a secret.
import { inEuros } from '../core/base/plans.ts'
import type { SandboxPage } from '../core/billing/sandbox.ts'
import { centred, escapeHtml, pageStyle, renderPage } from '../lib/html.ts'
import { RawAnswer } from './call.ts'

const style = pageStyle(
  [
    centred,
    `.mark{display:inline-block;padding:.2rem .6rem;border-radius:999px;background:var(--accent-wash);color:var(--accent);font-size:.85rem;font-weight:600}
table{width:100%;border-collapse:collapse;margin:1.5rem 0}
td{padding:.6rem 0;border-bottom:1px solid var(--line);color:var(--soft)}
td:last-child{text-align:right;font-variant-numeric:tabular-nums;white-space:nowrap;padding-left:1rem}
tr:last-child td{color:var(--ink);font-weight:600;border-bottom:0}
form{display:grid;gap:.6rem}
button{font:inherit;font-weight:500;padding:.65rem 1rem;border-radius:8px;border:1px solid var(--line-strong);background:var(--surface);color:var(--ink);cursor:pointer}
button:hover{background:var(--hover)}
button.main{background:var(--ink);border-color:var(--ink);color:var(--on-ink)}
button.main:hover{background:var(--ink-hover)}
a{color:var(--accent)}
`,
  ],
  { formAction: "'self'" },
)

const privateHeaders = {
  'Cache-Control': 'no-store',
  'Referrer-Policy': 'no-referrer',
  'X-Robots-Tag': 'noindex',
}

const answer = (
  status: number,
  title: string,
  body: string,
  more: Record<string, string> = {},
): RawAnswer => {
  const { html, headers } = renderPage(title, style, body)
  return new RawAnswer(status, { ...headers, ...privateHeaders, ...more }, html)
}

const button = (choice: string, words: string, look = ''): string =>
  `<button name="choice" value="${choice}"${look}>${words}</button>`

export function paymentPage({ text, net_cents, total_cents, isCard, who, back }: SandboxPage): RawAnswer {
  const rows = [
    [text, inEuros(net_cents)],
    ['VAT', inEuros(total_cents - net_cents)],
    ['Total', inEuros(total_cents)],
  ]
  const table = rows
    .map(([name, cents]) => `<tr><td>${escapeHtml(name!)}</td><td>${cents}</td></tr>`)
    .join('')
  const [pay, once] = isCard
    ? ['Use a card that works', 'Use a card that is declined']
    : [`Pay ${inEuros(total_cents)}`, 'Pay with a card that declines renewals']
  return answer(
    200,
    'Sandbox payment',
    `<span class="mark">Sandbox: no real money</span>
<h1>${isCard ? 'Change the card' : 'Pay'} for ${escapeHtml(who)}</h1>
<p>This page stands in for a payment provider. No card is asked for and nothing is charged.</p>
${isCard ? '' : `<table>${table}</table>`}
<form method="post">${button('pay', pay!, ' class="main"')}${button('pay-once', once!)}${button('decline', isCard ? 'Keep the card' : 'Decline the payment')}</form>
<p><a href="${escapeHtml(back)}">Back to billing</a></p>`,
  )
}

/** Sends the browser on with a Refresh header, because a form's answer may not redirect to another origin. */
export const afterPaymentPage = (paid: boolean, back: string): RawAnswer =>
  answer(
    200,
    paid ? 'Paid' : 'Not paid',
    `<span class="mark">Sandbox: no real money</span>
<h1>${paid ? 'Done' : 'Nothing was paid'}</h1>
<p>You are taken back. <a href="${escapeHtml(back)}">Back to billing</a></p>`,
    { Refresh: `1; url=${back}` },
  )

export const paymentPageGone = (words: string, billing: string): RawAnswer =>
  answer(
    404,
    'Payment page',
    `<h1>This page cannot be used</h1><p>${escapeHtml(words)}</p><p><a href="${escapeHtml(billing)}">Back to billing</a></p>`,
  )
