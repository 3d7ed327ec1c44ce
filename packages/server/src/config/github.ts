// The settings of GitHub as a git host: which forges are on, and the GitHub App that svcd acts as.
import { createPrivateKey } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { Secret } from '../lib/secret.ts'
import type { GitHubApp } from '../ports/github/port.ts'

export type ForgeName = 'builtin' | 'github'

export interface GitHubSettings {
  /** The git hosts that projects can build from. */
  forge: ForgeName[]
  githubAppId: string | undefined
  githubAppSlug: string | undefined
  githubClientId: string | undefined
  githubClientSecret: Secret | undefined
  githubPrivateKey: Secret | undefined
  githubWebhookSecret: Secret | undefined
  /** Where people and git go, and where programs go. */
  githubUrl: string
  githubApiUrl: string
}

type Source = Record<string, string | undefined>
type Refuse = (variable: string, problem: string) => Error

/** `refuse` makes the error that stops the program. */
export function readGitHubSettings(source: Source, refuse: Refuse): GitHubSettings {
  const text = (name: string): string | undefined => source[name]?.trim() || undefined
  const secret = (name: string): Secret | undefined => {
    const value = text(name)
    return value === undefined ? undefined : new Secret(value)
  }
  const githubUrl = readUrl('SVCD_GITHUB_URL', text('SVCD_GITHUB_URL') ?? 'https://github.com', refuse)
  // GitHub Enterprise Server has its API below the same host.
  const usualApi = githubUrl === 'https://github.com' ? 'https://api.github.com' : `${githubUrl}/api/v3`
  const settings: GitHubSettings = {
    forge: readForges(text('SVCD_FORGE') ?? 'builtin', refuse),
    githubAppId: text('SVCD_GITHUB_APP_ID'),
    githubAppSlug: text('SVCD_GITHUB_APP_SLUG'),
    githubClientId: text('SVCD_GITHUB_CLIENT_ID'),
    githubClientSecret: secret('SVCD_GITHUB_CLIENT_SECRET'),
    githubPrivateKey: readPrivateKey(
      text('SVCD_GITHUB_PRIVATE_KEY'),
      text('SVCD_GITHUB_PRIVATE_KEY_FILE'),
      refuse,
    ),
    githubWebhookSecret: secret('SVCD_GITHUB_WEBHOOK_SECRET'),
    githubUrl,
    githubApiUrl: readUrl('SVCD_GITHUB_API_URL', text('SVCD_GITHUB_API_URL') ?? usualApi, refuse),
  }
  requireWhole(settings, refuse)
  return settings
}

/** Undefined where GitHub is not among the forges. */
export function githubApp(settings: GitHubSettings): GitHubApp | undefined {
  const { githubAppId: appId, githubAppSlug: slug, githubClientId: clientId } = settings
  const { githubPrivateKey: privateKey, githubWebhookSecret: webhookSecret } = settings
  if (!settings.forge.includes('github')) return undefined
  if (!appId || !slug || !clientId || !privateKey || !webhookSecret) return undefined
  const { githubClientSecret: clientSecret, githubUrl: url, githubApiUrl: apiUrl } = settings
  return { appId, slug, clientId, clientSecret, privateKey, webhookSecret, url, apiUrl }
}

function readForges(value: string, refuse: Refuse): ForgeName[] {
  const names = value.split(',').map(name => name.trim())
  const known = names.filter((name): name is ForgeName => name === 'builtin' || name === 'github')
  if (known.length !== names.length)
    throw refuse('SVCD_FORGE', `must be builtin, github, or builtin,github, not '${value}'`)
  return [...new Set(known)]
}

function readUrl(name: string, value: string, refuse: Refuse): string {
  const url = URL.canParse(value) ? new URL(value) : undefined
  if (!url || !/^https?:$/.test(url.protocol) || url.username || url.password || url.search || url.hash)
    throw refuse(name, 'must be a URL such as https://github.example.com')
  return value.endsWith('/') ? value.slice(0, -1) : value
}

/** The PEM itself, in one line with `\n` or in base64 where the environment takes no line breaks; or a file with it. */
function readPrivateKey(
  value: string | undefined,
  file: string | undefined,
  refuse: Refuse,
): Secret | undefined {
  if (value && file)
    throw refuse('SVCD_GITHUB_PRIVATE_KEY_FILE', 'and SVCD_GITHUB_PRIVATE_KEY are both set; keep one')
  const name = file ? 'SVCD_GITHUB_PRIVATE_KEY_FILE' : 'SVCD_GITHUB_PRIVATE_KEY'
  const given = file ? readKeyFile(file, refuse) : value
  if (given === undefined) return undefined
  const pem = given.includes('-----BEGIN')
    ? given.replaceAll('\\n', '\n')
    : Buffer.from(given, 'base64').toString('utf8')
  try {
    const key = createPrivateKey(pem)
    if (key.asymmetricKeyType !== 'rsa') throw new Error('not RSA')
    return new Secret(key.export({ type: 'pkcs8', format: 'pem' }).toString())
  } catch {
    throw refuse(name, "must be the GitHub App's private key: an RSA key in PEM format") // The cause could show the key.
  }
}

function readKeyFile(file: string, refuse: Refuse): string {
  try {
    return readFileSync(file, 'utf8').trim()
  } catch (error) {
    const { message } = error as Error
    throw refuse('SVCD_GITHUB_PRIVATE_KEY_FILE', `names a file that cannot be read: ${message}`)
  }
}

function requireWhole(settings: GitHubSettings, refuse: Refuse): void {
  if (!settings.forge.includes('github')) return
  const needed = {
    SVCD_GITHUB_APP_ID: settings.githubAppId,
    SVCD_GITHUB_APP_SLUG: settings.githubAppSlug,
    SVCD_GITHUB_CLIENT_ID: settings.githubClientId,
    SVCD_GITHUB_PRIVATE_KEY: settings.githubPrivateKey,
    SVCD_GITHUB_WEBHOOK_SECRET: settings.githubWebhookSecret,
  }
  for (const [name, value] of Object.entries(needed))
    if (value === undefined)
      throw refuse(name, 'is missing: SVCD_FORGE has github. Copy it from the page of your GitHub App')
  if (!/^\d{1,15}$/.test(settings.githubAppId ?? ''))
    throw refuse('SVCD_GITHUB_APP_ID', 'must be the number that the page of your GitHub App shows as App ID')
  if (!/^[a-z0-9-]{1,100}$/i.test(settings.githubAppSlug ?? ''))
    throw refuse('SVCD_GITHUB_APP_SLUG', "must be the App's name in its URL: the part after github.com/apps/")
}
