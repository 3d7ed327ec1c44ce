// The redirects and JSON answers of the gate. They are never cached and send no Referer to the next page.
import type { Exchange } from '../exchange.ts'
import { jsonType, noStore, sendPlatformAnswer } from '../pages.ts'

const noReferrer = ['Referrer-Policy', 'no-referrer']
const always = [...noStore, ...noReferrer, 'X-Content-Type-Options', 'nosniff']

/** Redirects to a path of the site. */
export function redirectIntoSite(exchange: Exchange, path: string, headers: string[] = []): void {
  exchange.answer(303, ['Location', path, 'Content-Length', '0', ...always, ...headers])
}

export function redirectToDashboard(exchange: Exchange, url: string): void {
  exchange.answer(302, ['Location', url, 'Content-Length', '0', ...always, 'X-Robots-Tag', 'noindex'])
}

/** Answers a program that sent the password form. */
export function sendOk(exchange: Exchange, headers: string[]): void {
  sendPlatformAnswer(exchange, {
    status: 200,
    type: jsonType,
    body: '{"ok":true}\n',
    headers: [...noReferrer, ...headers],
  })
}
