// Settings of the git hosts that projects build from: which are on, and the GitHub App that svcd acts as.
import { createPrivateKey } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { Secret } from '../lib/secret.ts'
import type { GitHubApp } from '../ports/github/port.ts'
import * as kind from './kinds.ts'
import { computed, SettingError, type SettingsOf, setting, unset } from './setting.ts'

const forges: kind.Kind<('builtin' | 'github')[]> = {
  parse: value => {
    const names = value.split(',').map(name => name.trim())
    if (!names.every(name => name === 'builtin' || name === 'github'))
      throw new kind.Unacceptable(`must be builtin, github, or builtin,github, not '${value}'`)
    return [...new Set(names)]
  },
  print: names => names.join(','),
  accepts: '`builtin`, `github`, `builtin,github`',
  options: ['builtin', 'github', 'builtin,github'],
}

export const githubSettings = {
  forge: setting(
    'SVCD_FORGE',
    forges,
    ['builtin'],
    'the git hosts that projects build from; see [GitHub](github.md)',
  ),
  githubAppId: setting('SVCD_GITHUB_APP_ID', kind.text, unset(), 'the App ID of the GitHub App'),
  githubAppSlug: setting(
    'SVCD_GITHUB_APP_SLUG',
    kind.text,
    unset(),
    "the App's name in its URL: the part after `github.com/apps/`",
  ),
  githubClientId: setting('SVCD_GITHUB_CLIENT_ID', kind.text, unset(), "the App's client ID"),
  githubClientSecret: setting(
    'SVCD_GITHUB_CLIENT_SECRET',
    kind.secret,
    unset(),
    'needed only if user tokens of the App expire and GitHub asks for it',
  ),
  githubPrivateKey: setting(
    'SVCD_GITHUB_PRIVATE_KEY',
    kind.secretText,
    unset(),
    "the App's private key: the PEM itself; line breaks may be `\\n`, or all of it base64",
  ),
  githubPrivateKeyFile: setting(
    'SVCD_GITHUB_PRIVATE_KEY_FILE',
    kind.file,
    unset(),
    'or a file with that key',
  ),
  githubWebhookSecret: setting(
    'SVCD_GITHUB_WEBHOOK_SECRET',
    kind.secret,
    unset(),
    'signs what GitHub sends to `/hooks/github`',
  ),
  githubUrl: setting(
    'SVCD_GITHUB_URL',
    kind.baseUrl,
    'https://github.com',
    'another GitHub, such as GitHub Enterprise Server',
  ),
  githubApiUrl: setting(
    'SVCD_GITHUB_API_URL',
    kind.baseUrl,
    // GitHub Enterprise Server has its API on the same host.
    computed('`https://api.github.com`, or `<url>/api/v3` of another GitHub', ({ githubUrl }) =>
      githubUrl === 'https://github.com' ? 'https://api.github.com' : `${githubUrl}/api/v3`,
    ),
    'the API of that GitHub',
  ),
}

/** `undefined` if GitHub is not among the forges. Throws a SettingError if a part of the App is missing or wrong. */
export function githubApp(settings: SettingsOf<typeof githubSettings>): GitHubApp | undefined {
  if (!settings.forge.includes('github')) return undefined
  const appId = needed('SVCD_GITHUB_APP_ID', settings.githubAppId)
  if (!/^\d{1,15}$/.test(appId))
    throw new SettingError(
      'SVCD_GITHUB_APP_ID',
      'must be the number that the page of your GitHub App shows as App ID',
    )
  const slug = needed('SVCD_GITHUB_APP_SLUG', settings.githubAppSlug)
  if (!/^[a-z0-9-]{1,100}$/i.test(slug))
    throw new SettingError(
      'SVCD_GITHUB_APP_SLUG',
      "must be the App's name in its URL: the part after github.com/apps/",
    )
  return {
    appId,
    slug,
    clientId: needed('SVCD_GITHUB_CLIENT_ID', settings.githubClientId),
    clientSecret: settings.githubClientSecret,
    privateKey: needed('SVCD_GITHUB_PRIVATE_KEY', privateKeyOf(settings)),
    webhookSecret: needed('SVCD_GITHUB_WEBHOOK_SECRET', settings.githubWebhookSecret),
    url: settings.githubUrl,
    apiUrl: settings.githubApiUrl,
  }
}

function needed<T>(variable: string, value: T | undefined): T {
  if (value !== undefined) return value
  const why = 'is missing: SVCD_FORGE has github. Copy it from the page of your GitHub App'
  throw new SettingError(variable, why)
}

/** The PEM itself, in one line with `\n` or in base64 where the environment takes no line breaks; or a file with it. */
function privateKeyOf({
  githubPrivateKey,
  githubPrivateKeyFile: file,
}: SettingsOf<typeof githubSettings>): Secret | undefined {
  if (githubPrivateKey && file)
    throw new SettingError(
      'SVCD_GITHUB_PRIVATE_KEY_FILE',
      'and SVCD_GITHUB_PRIVATE_KEY are both set; keep one',
    )
  const given = file ? readKeyFile(file) : githubPrivateKey?.reveal()
  if (given === undefined) return undefined
  const pem = given.includes('-----BEGIN')
    ? given.replaceAll('\\n', '\n')
    : Buffer.from(given, 'base64').toString('utf8')
  try {
    const key = createPrivateKey(pem)
    if (key.asymmetricKeyType !== 'rsa') throw new Error('not RSA')
    return new Secret(key.export({ type: 'pkcs8', format: 'pem' }).toString())
  } catch {
    // The error has no cause, because the cause could contain the key.
    throw new SettingError(
      file ? 'SVCD_GITHUB_PRIVATE_KEY_FILE' : 'SVCD_GITHUB_PRIVATE_KEY',
      "must be the GitHub App's private key: an RSA key in PEM format",
    )
  }
}

function readKeyFile(file: string): string {
  try {
    return readFileSync(file, 'utf8').trim()
  } catch (error) {
    const { message } = error as Error
    throw new SettingError('SVCD_GITHUB_PRIVATE_KEY_FILE', `names a file that cannot be read: ${message}`)
  }
}
