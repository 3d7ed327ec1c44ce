// Makes the platform's GitHub App: GitHub shows the operator what it is to be, makes it, and sends the operator back with a code,
// for which it hands out the keys of the App.
import { createHmac, timingSafeEqual } from 'node:crypto'
import { hourMs } from '@svc/contract/durations'
import { Fault } from '../../lib/fault.ts'
import { GitHubError } from '../../ports/github/port.ts'
import type { Caller } from '../base/caller.ts'
import type { Platform } from '../base/platform.ts'
import { type SettingParts, saveSettings } from './settings.ts'

type AppParts = SettingParts & Pick<Platform, 'domain' | 'urls'>

/** GitHub's own limit. */
const nameLength = 34

/** Where the browser sends the manifest, in a form. `org` owns the App; without it, the operator's own GitHub account does. */
export function beginGitHubApp(
  platform: AppParts,
  caller: Caller,
  org: string | undefined,
): { url: string; manifest: string } {
  const owner = org === undefined ? '/settings' : `/organizations/${encodeURIComponent(org)}/settings`
  const state = stateFor(platform, caller, platform.clock.now() + hourMs)
  return {
    url: `${platform.settings.githubUrl}${owner}/apps/new?state=${encodeURIComponent(state)}`,
    manifest: JSON.stringify(manifestOf(platform)),
  }
}

const manifestOf = ({ urls, domain }: Pick<Platform, 'domain' | 'urls'>) => ({
  name: `svc ${domain}`.slice(0, nameLength),
  url: urls.dashboard,
  redirect_url: `${urls.dashboard}/admin/settings/github`,
  hook_attributes: { url: `${urls.api}/hooks/github`, active: true },
  public: false,
  default_permissions: {
    ...{ contents: 'read', metadata: 'read' },
    ...{ statuses: 'write', deployments: 'write', pull_requests: 'write' },
  },
  default_events: ['push', 'pull_request', 'repository'],
})

/** Stores the keys of the new App. Returns its page at GitHub. */
export async function finishGitHubApp(
  platform: AppParts,
  caller: Caller,
  { code, state }: { code: string; state: string },
): Promise<{ slug: string; page: string }> {
  if (!isStateOf(platform, caller, state))
    throw new Fault(
      'invalid_request',
      'This did not begin here, or more than an hour ago. Create the GitHub App again.',
    )
  const app = await platform.settings.takeGitHubApp(code).catch((error: unknown) => {
    if (error instanceof GitHubError)
      throw new Fault('invalid_request', `${error.message} Create the GitHub App again.`)
    throw error
  })
  await saveSettings(platform, caller, app.changes)
  return { slug: app.slug, page: app.page }
}

/** Names the operator and the time, so that nobody else's code is taken for the answer. */
function stateFor({ keyring }: Pick<AppParts, 'keyring'>, { account }: Caller, until: number): string {
  const text = `${account.id}.${until}`
  const key = keyring.current.derive('making a GitHub App').reveal()
  return `${until}.${createHmac('sha256', key).update(text).digest('base64url')}`
}

function isStateOf(platform: AppParts, caller: Caller, state: string): boolean {
  const until = Number(state.split('.')[0])
  if (!Number.isSafeInteger(until) || until < platform.clock.now()) return false
  const [given, expected] = [Buffer.from(state), Buffer.from(stateFor(platform, caller, until))]
  return given.length === expected.length && timingSafeEqual(given, expected)
}
