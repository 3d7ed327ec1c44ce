// Finds the URL of the platform: from the environment, then from config.json beside the credentials, then the default.
import { join } from 'node:path'
import { type ClientSettings, createClient, withoutTrailingSlashes } from '@svc/contract/client'
import { environment } from './environment.ts'
import { Failure } from './failure.ts'
import { readPrivateJson, writePrivateJson } from './private-file.ts'

export const defaultApiUrl = 'http://localhost:8080'
const configFile = () => join(environment.configDir(), 'config.json')

export function apiUrl(): string {
  const fromEnvironment = environment.apiUrl()
  if (fromEnvironment) return httpUrl(fromEnvironment, 'SVC_API_URL')
  return configured('api_url') ?? defaultApiUrl
}

/** Whether the default is used, because no URL is set. */
export const usesDefaultApiUrl = (): boolean => !environment.apiUrl() && configured('api_url') === undefined

/** Stores the URL for later commands. */
export function storeApiUrl(url: string): void {
  writePrivateJson(configFile(), { ...readPrivateJson(configFile()), api_url: url })
}

export async function dashboardUrl(settings: ClientSettings): Promise<string> {
  const fromEnvironment = environment.dashboardUrl()
  if (fromEnvironment) return httpUrl(fromEnvironment, 'SVC_DASHBOARD_URL')
  const known = configured('dashboard_url')
  if (known) return known
  const health: { dashboard_url?: string } = await createClient(settings)('GET /health')
  if (!health.dashboard_url)
    throw new Failure(`${apiUrl()} does not say where its dashboard is. Set SVC_DASHBOARD_URL.`)
  return withoutTrailingSlashes(health.dashboard_url)
}

/** Checks that it is an http or https URL, and strips trailing slashes. */
function httpUrl(url: string, source: string): string {
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol))
    throw new Failure(`${source} is not an http or https URL: ${url}`)
  return withoutTrailingSlashes(url)
}

function configured(key: 'api_url' | 'dashboard_url'): string | undefined {
  const value = readPrivateJson(configFile())?.[key]
  return typeof value === 'string' && value !== '' ? httpUrl(value, `${key} in ${configFile()}`) : undefined
}
