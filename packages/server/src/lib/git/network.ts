// What a git program of svcd needs to reach another git host: the one address that was checked, and no redirect.

interface Target {
  /** Of the repository, without a secret. */
  url: string
  /** The address that the name in the URL stands for. Without it, git looks the name up. */
  address?: string | undefined
  credentials?: { user: string; token: string } | undefined
}

const defaultPorts: Record<string, number> = { 'http:': 80, 'https:': 443 }

/** In the environment, because other users of the machine see the arguments of a program. */
export function networkEnvironment({ url, address, credentials }: Target): Record<string, string> {
  const { protocol, hostname, port } = new URL(url)
  const config: [string, string][] = [
    // After a redirect, git would send the header with the token to another server.
    ['http.followRedirects', 'false'],
    [`protocol.${protocol.slice(0, -1)}.allow`, 'always'],
    ['http.lowSpeedLimit', '1000'],
    ['http.lowSpeedTime', '60'],
  ]
  if (credentials) {
    const encoded = Buffer.from(`${credentials.user}:${credentials.token}`).toString('base64')
    config.push(['http.extraHeader', `Authorization: Basic ${encoded}`])
  }
  if (address !== undefined && address !== hostname.replace(/^\[|\]$/g, ''))
    config.push(['http.curloptResolve', `${hostname}:${port || defaultPorts[protocol]}:${address}`])
  const env: Record<string, string> = { GIT_CONFIG_COUNT: String(config.length) }
  for (const [index, [key, value]] of config.entries()) {
    env[`GIT_CONFIG_KEY_${index}`] = key
    env[`GIT_CONFIG_VALUE_${index}`] = value
  }
  return env
}
