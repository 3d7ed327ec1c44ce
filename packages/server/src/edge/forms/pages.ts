// The pages shown after a form was sent: thanks, or an error. They need no scripts and load nothing.
import { centred, escapeHtml, htmlType, pageStyle, writePage } from '../../lib/html.ts'
import type { Exchange } from '../exchange.ts'
import { sendPlatformAnswer } from '../pages.ts'

interface FormPage {
  status: number
  tone: 'thanks' | 'problem'
  title: string
  text: string
  /** The path that the link of the page leads to. */
  back: string
}

const style = pageStyle(
  [
    centred,
    `.sign{display:grid;place-items:center;width:2.75rem;height:2.75rem;border-radius:50%}
.thanks{background:var(--green-wash);color:var(--green)}
.problem{background:var(--red-wash);color:var(--red)}
a{display:inline-flex;align-items:center;height:2.75rem;margin-top:1.5rem;padding:0 1.125rem;border:1px solid var(--line-strong);border-radius:8px;color:inherit;font-weight:500;text-decoration:none}
a:hover{background:var(--hover)}
a:focus-visible{outline:2px solid var(--accent);outline-offset:2px}
`,
  ],
  { frameAncestors: "'self'" },
)

const strokes = { thanks: 'm5 11.500 4.250 4.250L17 7', problem: 'M11 5.500v7M11 16v.1' }
const sign = (tone: FormPage['tone']): string =>
  `<svg width="22" height="22" viewBox="0 0 22 22" fill="none" stroke="currentColor" stroke-width="2" stroke-linecap="round" stroke-linejoin="round"><path d="${strokes[tone]}"/></svg>`

export function sendFormPage(exchange: Exchange, page: FormPage): void {
  const headers = ['X-Robots-Tag', 'noindex']
  const { policy } = style
  sendPlatformAnswer(exchange, { status: page.status, type: htmlType, body: write(page), policy, headers })
}

const write = ({ tone, title, text, back }: FormPage): string =>
  writePage(
    title,
    style,
    `<div class="sign ${tone}" aria-hidden="true">${sign(tone)}</div>
<h1>${title}</h1>
<p>${escapeHtml(text)}</p>
<a href="${escapeHtml(back)}">Back to the site</a>`,
  )
