// What the server tells the dashboard about itself: inside the page itself, and at /config.json for another try.
interface Config {
  api_url: string
  platform_domain: string
  version: string
  signups: 'open' | 'invite' | 'closed'
  /** `off`: there are no plans, and no billing pages. */
  billing: 'off' | 'sandbox' | 'stripe'
  /** Whether the AI gateway has a provider; without one it has no page. */
  ai: boolean
  /** Whether the platform issues certificates for custom domains. */
  certificates: boolean
  setup_needed: boolean
  /** Whether the platform sends email. */
  mail: boolean
  /** The git hosts of the platform. */
  forges: ('builtin' | 'github')[]
}

let current: Config | undefined

export async function loadConfig(): Promise<void> {
  current = { forges: ['builtin'], ...(takeInlined() ?? (await fetchConfig())) }
}

type Sent = Omit<Config, 'forges'>

/** The settings that the server wrote into the page. They are used once: another try must not see old ones. */
function takeInlined(): Sent | undefined {
  const element = document.getElementById('config')
  element?.remove()
  return element?.textContent ? (JSON.parse(element.textContent) as Sent) : undefined
}

async function fetchConfig(): Promise<Sent> {
  const response = await fetch('/config.json', { cache: 'no-store' })
  if (!response.ok) throw new Error(`/config.json answered HTTP ${response.status}`)
  return (await response.json()) as Sent
}

/** The settings; everything below the start screen runs after they were loaded. */
export function config(): Config {
  if (!current) throw new Error('The settings were asked for before they were loaded')
  return current
}

export function setupDone(): void {
  current = { ...config(), setup_needed: false }
}

/** The URL that a project will have: sites share the API's scheme and port. */
export function siteUrl(name: string): string {
  const api = new URL(config().api_url)
  return `${api.protocol}//${name}.${config().platform_domain}${api.port && `:${api.port}`}`
}
