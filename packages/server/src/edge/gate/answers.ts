// What the gate answers besides its pages: never stored, and never telling the next page where the visitor came from.
import type { ServerResponse } from 'node:http'
import { unstored } from '../pages.ts'

const always = [...unstored, 'Referrer-Policy', 'no-referrer', 'X-Content-Type-Options', 'nosniff']

/** Back into the site, by its own address. */
export function sendBack(res: ServerResponse, path: string, headers: string[] = []): void {
  res.writeHead(303, ['Location', path, 'Content-Length', '0', ...always, ...headers])
  res.end()
}

export function sendElsewhere(res: ServerResponse, url: string): void {
  res.writeHead(302, ['Location', url, 'Content-Length', '0', ...always, 'X-Robots-Tag', 'noindex'])
  res.end()
}

/** For a program that sent the form. */
export function sendOk(res: ServerResponse, headers: string[]): void {
  const body = '{"ok":true}\n'
  const type = ['Content-Type', 'application/json; charset=utf-8', 'Content-Length', String(body.length)]
  res.writeHead(200, [...type, ...always, ...headers])
  res.end(body)
}
