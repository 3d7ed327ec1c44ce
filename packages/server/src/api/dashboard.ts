// Serves the dashboard: a built single-page app, kept in memory, with a strict content security policy.
import { readdir, readFile } from 'node:fs/promises'
import type { IncomingMessage, ServerResponse } from 'node:http'
import path from 'node:path'
import mime from 'mime'
import type { OperatorSettings } from '../core/base/parts.ts'
import type { Platform } from '../core/base/platform.ts'
import type { Urls } from '../core/base/urls.ts'
import { setupNeeded } from '../core/identity/accounts.ts'
import { readAcceptEncoding } from '../lib/accept-encoding.ts'
import { answerJson } from './answer.ts'
import { answerAvatar } from './avatars.ts'
import type { HttpHandler } from './server.ts'

interface Asset {
  type: string
  immutable: boolean
  plain: Buffer
  br: Buffer | undefined
}

/** The parts of the platform that say what the dashboard shows. */
type ConfigParts = Pick<
  Platform,
  | 'billing'
  | 'github'
  | 'hasAi'
  | 'hasBuiltinForge'
  | 'issuing'
  | 'mailer'
  | 'signups'
  | 'store'
  | 'urls'
  | 'version'
> & { settings: Pick<OperatorSettings, 'githubUrl'> }

export async function createDashboard(
  platform: ConfigParts,
  domain: string,
  dir: string,
): Promise<HttpHandler> {
  const { origin: github } = new URL(platform.settings.githubUrl)
  const assets = await load(dir)
  const page = assets.get('/index.html')
  const headers = securityHeaders(platform.urls, platform.github?.imageOrigins ?? [], github)
  // If all accounts are GitHub users, the dashboard shows their pictures from GitHub.
  const avatarUrl = platform.hasBuiltinForge ? undefined : platform.github?.avatarUrl
  return (req, res) => {
    for (const [name, value] of headers) res.setHeader(name, value)
    const pathname = (req.url ?? '/').split('?')[0] ?? '/'
    if (pathname === '/config.json') {
      configOf(platform, domain).then(
        config => answerJson(res, 200, config),
        () => res.writeHead(503).end(),
      )
      return
    }
    if (answerAvatar(req, res, pathname, avatarUrl)) return
    const asset = assets.get(pathname) ?? (pathname.startsWith('/assets/') ? undefined : page)
    if (asset !== undefined && asset === page) return void answerPage(platform, domain, req, res, page)
    answerAsset(req, res, asset)
  }
}

/** The settings that the app needs before its first call of the API. */
async function configOf(platform: ConfigParts, domain: string): Promise<object> {
  return {
    api_url: platform.urls.api,
    platform_domain: domain,
    version: platform.version,
    signups: platform.signups,
    certificates: platform.issuing !== undefined,
    forges: [...(platform.hasBuiltinForge ? ['builtin'] : []), ...(platform.github ? ['github'] : [])],
    billing: platform.billing,
    ai: platform.hasAi,
    mail: platform.mailer.isConfigured,
    setup_needed: await setupNeeded(platform),
  }
}

/**
 * The page with the settings inside, which saves the browser a request. The policy allows no inline scripts; a block of
 * JSON is none. Without the settings the app asks for them itself.
 */
async function answerPage(
  platform: ConfigParts,
  domain: string,
  req: IncomingMessage,
  res: ServerResponse,
  page: Asset,
): Promise<void> {
  const config = await configOf(platform, domain).catch(() => undefined)
  if (config === undefined) return answerAsset(req, res, page)
  const json = JSON.stringify(config).replaceAll('<', '\\u003c')
  const html = page.plain
    .toString()
    .replace('</head>', () => `<script type="application/json" id="config">${json}</script></head>`)
  answerAsset(req, res, { ...page, plain: Buffer.from(html), br: undefined })
}

function answerAsset(req: IncomingMessage, res: ServerResponse, asset: Asset | undefined): void {
  if (req.method !== 'GET' && req.method !== 'HEAD') {
    res.writeHead(405, { allow: 'GET, HEAD' }).end()
    return
  }
  if (!asset) {
    res.writeHead(404, { 'content-type': 'text/plain; charset=utf-8' }).end('Not found\n')
    return
  }
  const weight = readAcceptEncoding(String(req.headers['accept-encoding'] ?? ''))
  const takesBrotli = (weight('br') ?? 0) > 0 && weight('br')! >= (weight('identity') ?? 0)
  const br = takesBrotli ? asset.br : undefined
  const body = br ?? asset.plain
  res.setHeader('content-type', asset.type)
  res.setHeader('content-length', body.length)
  res.setHeader('vary', 'Accept-Encoding')
  res.setHeader('cache-control', asset.immutable ? 'public, max-age=31536000, immutable' : 'no-cache')
  if (br) res.setHeader('content-encoding', 'br')
  res.writeHead(200).end(body)
}

async function load(dir: string): Promise<Map<string, Asset>> {
  const assets = new Map<string, Asset>()
  const entries = await readdir(dir, { recursive: true, withFileTypes: true })
  const files = new Set(entries.filter(e => e.isFile()).map(e => path.join(e.parentPath, e.name)))
  for (const file of files) {
    if (/\.(br|gz)$/.test(file)) continue
    const url = `/${path.relative(dir, file).split(path.sep).join('/')}`
    assets.set(url, {
      type: contentType(file),
      immutable: url.startsWith('/assets/'),
      plain: await readFile(file),
      br: files.has(`${file}.br`) ? await readFile(`${file}.br`) : undefined,
    })
  }
  return assets
}

function contentType(file: string): string {
  const type = mime.getType(file) ?? 'application/octet-stream'
  return /^text\/|javascript|json|svg/.test(type) ? `${type}; charset=utf-8` : type
}

const securityHeaders = ({ api }: Urls, images: readonly string[], github: string): [string, string][] => [
  [
    'content-security-policy',
    [
      "default-src 'none'",
      "script-src 'self'",
      "style-src 'self'",
      `img-src ${["'self'", 'data:', 'blob:', api, ...images].join(' ')}`,
      `connect-src 'self' ${api}`,
      "font-src 'self'",
      "manifest-src 'self'",
      "base-uri 'none'",
      // An operator who makes the GitHub App of the platform sends its manifest there.
      `form-action ${github}`,
      "frame-ancestors 'none'",
    ].join('; '),
  ],
  ['x-content-type-options', 'nosniff'],
  ['referrer-policy', 'no-referrer'],
  ['cross-origin-opener-policy', 'same-origin'],
]
