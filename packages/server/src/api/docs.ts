// Serves the site of docs/ at docs.<domain>: pages that were made at build time, with the version and the addresses of this platform.
import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import type { IncomingMessage, ServerResponse } from 'node:http'
import path from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress } from 'node:zlib'
import mime from 'mime'
import type { Platform } from '../core/base/platform.ts'
import { readAcceptEncoding } from '../lib/accept-encoding.ts'
import { escapeHtml } from '../lib/html.ts'
import type { HttpHandler } from './server.ts'

interface DocsFile {
  type: string
  etag: string
  plain: Buffer
  /** Pictures have none. */
  br?: Buffer
}

const compress = promisify(brotliCompress)

const securityHeaders = {
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
}

export async function createDocs(
  platform: Pick<Platform, 'urls' | 'version'>,
  domain: string,
  dir: string,
): Promise<HttpHandler> {
  const names = await namesIn(dir)
  // The site is small, and a page is kept from its first visitor on.
  const files = new Map<string, Promise<DocsFile>>()
  const open = (name: string): Promise<DocsFile> => {
    const opened = files.get(name) ?? read(dir, name, text => fillIn(text, platform, domain))
    files.set(name, opened)
    opened.catch(() => files.delete(name))
    return opened
  }
  return (req, res) => {
    for (const [name, value] of Object.entries(securityHeaders)) res.setHeader(name, value)
    if (req.method !== 'GET' && req.method !== 'HEAD')
      return void res.writeHead(405, { allow: 'GET, HEAD' }).end()
    const pathname = (req.url ?? '/').split('?')[0] ?? '/'
    const page = pathname.length > 1 && pathname.endsWith('/') ? pathname.slice(0, -1) : undefined
    if (page !== undefined && names.has(`${page.slice(1)}.html`))
      return void res.writeHead(308, { location: page }).end()
    const name = nameOf(pathname, names)
    if (name === undefined && !names.has('404.html')) return void res.writeHead(404).end('Not found\n')
    open(name ?? '404.html').then(
      file => answer(req, res, name === undefined ? 404 : 200, file, name?.startsWith('assets/') ?? false),
      () => res.writeHead(503).end(),
    )
  }
}

/** The file of a path. Pages are asked for without `.html`. */
function nameOf(pathname: string, names: ReadonlySet<string>): string | undefined {
  if (pathname === '/') return names.has('index.html') ? 'index.html' : undefined
  const name = pathname.slice(1)
  if (names.has(`${name}.html`)) return `${name}.html`
  return names.has(name) && !name.endsWith('.html') ? name : undefined
}

/** No names where the site was not built: svcd runs without it. */
async function namesIn(dir: string): Promise<Set<string>> {
  const entries = await readdir(dir, { recursive: true, withFileTypes: true }).catch(() => [])
  const files = entries.filter(entry => entry.isFile())
  return new Set(
    files.map(entry => path.relative(dir, path.join(entry.parentPath, entry.name)).split(path.sep).join('/')),
  )
}

async function read(dir: string, name: string, fill: (html: string) => string): Promise<DocsFile> {
  const bytes = await readFile(path.join(dir, name))
  const plain = name.endsWith('.html') ? Buffer.from(fill(bytes.toString())) : bytes
  const type = mime.getType(name) ?? 'application/octet-stream'
  const etag = `W/"${createHash('sha256').update(plain).digest('base64url').slice(0, 22)}"`
  if (type === 'image/webp') return { type, etag, plain }
  return { type: `${type}; charset=utf-8`, etag, plain, br: await compress(plain) }
}

/** Puts this platform's version and addresses into a page, so that examples can be copied as they are. */
function fillIn(html: string, { urls, version }: Pick<Platform, 'urls' | 'version'>, domain: string): string {
  const values: [string, string][] = [
    ['@version@', version],
    ['@dashboard@', urls.dashboard],
    ['@api@', urls.api],
    ['https://api.&#60;domain&#62;', urls.api],
    ['https://api.&lt;domain&gt;', urls.api],
    ['&#60;domain&#62;', domain],
    ['&lt;domain&gt;', domain],
  ]
  return values.reduce((text, [mark, value]) => text.replaceAll(mark, () => escapeHtml(value)), html)
}

function answer(
  req: IncomingMessage,
  res: ServerResponse,
  status: number,
  file: DocsFile,
  isImmutable: boolean,
): void {
  const headers = {
    'cache-control': isImmutable ? 'public, max-age=31536000, immutable' : 'no-cache',
    vary: 'Accept-Encoding',
    etag: file.etag,
  }
  if (status === 200 && req.headers['if-none-match'] === file.etag)
    return void res.writeHead(304, headers).end()
  const weight = readAcceptEncoding(String(req.headers['accept-encoding'] ?? ''))
  const takesBrotli = (weight('br') ?? 0) > 0 && weight('br')! >= (weight('identity') ?? 0)
  const br = takesBrotli ? file.br : undefined
  const body = br ?? file.plain
  const encoding = br ? { 'content-encoding': 'br' } : {}
  res.writeHead(status, { ...headers, ...encoding, 'content-type': file.type, 'content-length': body.length })
  res.end(req.method === 'HEAD' ? undefined : body)
}
