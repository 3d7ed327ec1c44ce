// Finds the API from the URL that a user gave: the API's own or the dashboard's, with or without scheme and path.
// No token is sent here, and no redirect is followed but the one from http to https on the same host.
import { lookup } from 'node:dns/promises'
import { networkError, SilenceTimeout } from '@svc/contract/client'
import { environment } from './environment.ts'
import { Failure } from './failure.ts'
import { networkReason } from './network.ts'

interface Platform {
  url: string
  /** Says which URL is used and why, if it is not the given one. */
  notes: string[]
}

export async function findPlatform(given: string, source: string): Promise<Platform> {
  const base = readAddress(given, source)
  const origin = new URL(base.origin)
  const found =
    (await onLocalhost(base)) ??
    (await apiAt(base)) ??
    (await behindDashboard(origin)) ??
    (isRoot(base) ? undefined : await apiAt(origin))
  if (found) return found
  throw new Failure(
    `${textOf(base)} answers, but it is not the API of svc. Use the URL of the API, which 'svcd start' prints.`,
  )
}

/** Whether requests to this URL stay on this machine. */
export const isLocal = (url: URL): boolean =>
  /^(localhost|.+\.localhost|127(\.\d+){3}|\[::1\])$/.test(url.hostname)

/** `example.com` is https, `localhost:8080` is http. */
function readAddress(given: string, source: string): URL {
  const text = given.trim()
  const refused = new Failure(`${source} is not an http or https URL: ${given}`)
  const withScheme = /^[a-z][a-z0-9+.-]*:\/\//i.test(text) ? text : guessScheme(text)
  if (!URL.canParse(withScheme)) throw refused
  const url = new URL(withScheme)
  if (!/^https?:$/.test(url.protocol)) throw refused
  if (url.username || url.password) throw new Failure(`${source} must not hold a user name or a password.`)
  url.hash = ''
  url.search = ''
  return url
}

function guessScheme(host: string): string {
  const plain = `http://${host}`
  return URL.canParse(plain) && isLocal(new URL(plain)) ? plain : `https://${host}`
}

const isRoot = (url: URL): boolean => url.pathname === '/'
const textOf = (url: URL): string => url.href.replace(/\/$/, '')

async function apiAt(base: URL): Promise<Platform | undefined> {
  const { location, json } = await get(base, 'health')
  if (location) return await upgraded(base, location)
  // Another path of the API also answers, with an error of the API.
  const isApi = typeof json?.ok === 'boolean' || (isRoot(base) && isErrorOfApi(json))
  return isApi ? { url: textOf(base), notes: [] } : undefined
}

const isErrorOfApi = (json: Json | undefined): boolean =>
  typeof (json?.error as Json | undefined)?.code === 'string'

/** Follows a redirect to https on the same host, and names any other. */
async function upgraded(base: URL, location: string): Promise<Platform | undefined> {
  const to = URL.canParse(location, base.href) ? new URL(location, base) : undefined
  if (!to || to.origin === base.origin) return undefined
  if (to.protocol !== 'https:' || to.hostname !== base.hostname || base.protocol !== 'http:')
    throw new Failure(
      `${textOf(base)} redirects to ${to.origin}. If that is your platform, run 'svc login --api-url ${to.origin}'.`,
    )
  const secure = new URL(base.pathname, to.origin)
  const found = await findPlatform(secure.href, '--api-url')
  return { ...found, notes: [`${textOf(base)} redirects to https. Using ${found.url}.`, ...found.notes] }
}

/** Tries localhost itself for a name below it. Browsers resolve such names, but many systems do not. */
async function onLocalhost(base: URL): Promise<Platform | undefined> {
  if (!base.hostname.endsWith('.localhost') || (await isKnown(base.hostname))) return undefined
  const api = new URL(base.origin)
  api.hostname = 'localhost'
  const found = await apiAt(api)
  return found && { ...found, notes: [`${base.host} is not known here. Using ${found.url}.`, ...found.notes] }
}

const isKnown = (name: string): Promise<boolean> =>
  lookup(name).then(
    () => true,
    () => false,
  )

/** The dashboard tells where its API is. */
async function behindDashboard(origin: URL): Promise<Platform | undefined> {
  const { json } = await get(origin, 'config.json')
  if (typeof json?.api_url !== 'string' || !URL.canParse(json.api_url)) return undefined
  const api = new URL(json.api_url)
  if (!/^https?:$/.test(api.protocol) || (origin.protocol === 'https:' && api.protocol === 'http:'))
    throw new Failure(`${origin.origin} is the dashboard, and names an API without https: ${api.origin}.`)
  const found = await apiAt(api)
  if (!found) return undefined
  return {
    ...found,
    notes: [`${origin.origin} is the dashboard. Using the API at ${found.url}.`, ...found.notes],
  }
}

type Json = Record<string, unknown>

interface Found {
  location: string | undefined
  json: Json | undefined
}

const mostBytes = 16 * 1024 * 1024

async function get(base: URL, file: string): Promise<Found> {
  const url = new URL(file, base.href.endsWith('/') ? base : `${base.href}/`)
  try {
    const timeout = new SilenceTimeout(environment.silenceMs())
    const { signal } = timeout
    const asked = fetch(url, { headers: { accept: 'application/json' }, redirect: 'manual', signal })
    const response = timeout.guard(await timeout.during(asked), mostBytes)
    const isRedirect = response.status >= 300 && response.status < 400
    const location = isRedirect ? (response.headers.get('location') ?? undefined) : undefined
    return { location, json: jsonOf(await response.text()) }
  } catch (cause) {
    throw networkError(textOf(base), cause, networkReason(cause))
  }
}

function jsonOf(text: string): Json | undefined {
  try {
    const json: unknown = JSON.parse(text)
    return typeof json === 'object' && json !== null ? (json as Json) : undefined
  } catch {
    // The answer is a page, not one of the API.
    return undefined
  }
}
