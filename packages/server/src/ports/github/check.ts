// Checks that the GitHub App is set up as the platform needs it, at GitHub and in the settings of svcd.
import type { GitHubApp } from './port.ts'

const permissions: Record<string, 'read' | 'write'> = {
  contents: 'read',
  statuses: 'write',
  deployments: 'write',
  pull_requests: 'write',
}
const events = ['push', 'pull_request', 'repository']

interface AppAtGitHub {
  slug?: string
  permissions?: Record<string, string>
  events?: string[]
}

/** Returns a description of the App. Throws with what is wrong. */
export function checkApp({ slug, apiUrl }: GitHubApp, found: AppAtGitHub): string {
  if (found.slug !== slug)
    throw new Error(`SVCD_GITHUB_APP_SLUG is '${slug}', but the App is called '${found.slug}'`)
  const given = found.permissions ?? {}
  const lacking = Object.entries(permissions)
    .filter(([name, level]) => given[name] !== 'write' && given[name] !== level)
    .map(([name, level]) => `the permission ${name}: ${level}`)
  const unheard = events.filter(name => !found.events?.includes(name)).map(name => `the event ${name}`)
  if (lacking.length + unheard.length > 0)
    throw new Error(
      `the GitHub App lacks ${[...lacking, ...unheard].join(', ')}; add it on the page of the App`,
    )
  return `the App ${slug} at ${apiUrl}`
}
