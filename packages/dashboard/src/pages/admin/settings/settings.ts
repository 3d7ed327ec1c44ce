// What the page of the platform's settings loads and changes.
import type { PlatformSetting, PlatformSettings } from '@svc/contract'
import { call } from '../../../api.ts'
import { type Resource, useResource, writeResource } from '../../../resource.ts'

const key = 'admin settings'

/** What was typed, by the names of the variables. `null` takes a setting back. */
export type Changes = Readonly<Record<string, string | null>>

export const useSettings = (): Resource<PlatformSettings> =>
  useResource(key, () => call('GET /admin/settings'))

export async function saveSettings(changes: Changes): Promise<PlatformSettings> {
  const changed = await call('PATCH /admin/settings', { body: { changes } })
  writeResource<PlatformSettings>(key, () => changed)
  return changed
}

/** Returns the address that the email went to. */
export const sendTestMail = async (changes: Changes): Promise<string> =>
  (await call('POST /admin/settings/test-mail', { body: { changes } })).to

const pauseMs = 500
const patienceMs = 120_000

/** Resolves when a process that has read the settings answers. */
export async function restart(): Promise<void> {
  await call('POST /admin/settings/restart')
  for (const deadline = Date.now() + patienceMs; Date.now() < deadline; ) {
    await new Promise(resolve => setTimeout(resolve, pauseMs))
    const settings = await call('GET /admin/settings').catch(() => undefined)
    if (!settings || settings.restart.needed) continue
    writeResource<PlatformSettings>(key, () => settings)
    return
  }
  throw new Error('The platform still runs with the former settings. Its log says why.')
}

/** Leaves for GitHub, which asks whether to make the App, and leads back. */
export async function createGitHubApp(org: string): Promise<void> {
  const { url, manifest } = await call('POST /admin/settings/github', { body: org === '' ? {} : { org } })
  const form = document.createElement('form')
  form.method = 'post'
  form.action = url
  const field = document.createElement('input')
  field.type = 'hidden'
  field.name = 'manifest'
  field.value = manifest
  form.append(field)
  document.body.append(form)
  form.submit()
}

/** With what GitHub has put into the address. */
export async function finishGitHubApp(query: URLSearchParams): Promise<{ slug: string; page: string }> {
  const [code, state] = [query.get('code') ?? '', query.get('state') ?? '']
  return await call('POST /admin/settings/github/finish', { body: { code, state } })
}

const abbreviations = new Set(['ACME', 'AI', 'API', 'DNS', 'EAB', 'GB', 'ID', 'MB', 'SMTP', 'URL'])
const names: Record<string, string> = { GITHUB: 'GitHub', SIGNUPS: 'Sign-ups', DIRECTORY: 'directory' }

/** `SVCD_ACME_EMAIL` is `ACME email`. */
export function labelOf({ name }: Pick<PlatformSetting, 'name'>): string {
  const words = name
    .slice('SVCD_'.length)
    .split('_')
    .map(word => names[word] ?? (abbreviations.has(word) ? word : word.toLowerCase()))
    .join(' ')
  return words.charAt(0).toUpperCase() + words.slice(1)
}
