// What the gate answers besides its pages: never stored, and never telling the next page where the visitor came from.
import type { Exchange } from '../exchange.ts'
import { jsonType, sendOwn, unstored } from '../pages.ts'

const noReferrer = ['Referrer-Policy', 'no-referrer']
const always = [...unstored, ...noReferrer, 'X-Content-Type-Options', 'nosniff']

/** Back into the site, to one of its paths. */
export function sendBack(exchange: Exchange, path: string, headers: string[] = []): void {
  exchange.answer(303, ['Location', path, 'Content-Length', '0', ...always, ...headers])
}

export function sendElsewhere(exchange: Exchange, url: string): void {
  exchange.answer(302, ['Location', url, 'Content-Length', '0', ...always, 'X-Robots-Tag', 'noindex'])
}

/** For a program that sent the form. */
export function sendOk(exchange: Exchange, headers: string[]): void {
  sendOwn(exchange, {
    status: 200,
    type: jsonType,
    body: '{"ok":true}\n',
    headers: [...noReferrer, ...headers],
  })
}
