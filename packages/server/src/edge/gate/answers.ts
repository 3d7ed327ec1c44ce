// What the gate answers besides its pages: never stored, and never telling the next page where the visitor came from.
import type { Exchange } from '../exchange.ts'
import { jsonType, noStore, sendPlatformAnswer } from '../pages.ts'

const noReferrer = ['Referrer-Policy', 'no-referrer']
const always = [...noStore, ...noReferrer, 'X-Content-Type-Options', 'nosniff']

/** Back into the site, to one of its paths. */
export function redirectIntoSite(exchange: Exchange, path: string, headers: string[] = []): void {
  exchange.answer(303, ['Location', path, 'Content-Length', '0', ...always, ...headers])
}

export function redirectToDashboard(exchange: Exchange, url: string): void {
  exchange.answer(302, ['Location', url, 'Content-Length', '0', ...always, 'X-Robots-Tag', 'noindex'])
}

/** For a program that sent the form. */
export function sendOk(exchange: Exchange, headers: string[]): void {
  sendPlatformAnswer(exchange, {
    status: 200,
    type: jsonType,
    body: '{"ok":true}\n',
    headers: [...noReferrer, ...headers],
  })
}
