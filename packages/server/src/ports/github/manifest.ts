// Makes a GitHub App by the manifest flow: GitHub shows the operator what the App may do, and hands out its keys for a code.
import type { GitHubAppKeys } from './port.ts'
import { githubRequests, PendingRequests } from './requests.ts'

/** The code works once, for an hour. Throws a GitHubError. */
export async function keysOfNewApp(
  { url, apiUrl }: { url: string; apiUrl: string },
  userAgent: string,
  code: string,
): Promise<GitHubAppKeys> {
  const send = githubRequests({ apiUrl, userAgent, pending: new PendingRequests() })
  const { data } = await send('POST /app-manifests/{code}/conversions', undefined, { code })
  const text = (name: string): string => String(data[name] ?? '')
  const owner = data.owner?.type === 'Organization' ? `/organizations/${data.owner.login}` : ''
  return {
    appId: text('id'),
    slug: text('slug'),
    clientId: text('client_id'),
    clientSecret: text('client_secret'),
    webhookSecret: text('webhook_secret'),
    privateKey: text('pem'),
    page: `${url}${owner}/settings/apps/${text('slug')}`,
  }
}
