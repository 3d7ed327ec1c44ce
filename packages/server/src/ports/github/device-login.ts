// Signs users in with GitHub's device flow, and refreshes their tokens.
// https://docs.github.com/en/apps/creating-github-apps/authenticating-with-a-github-app/generating-a-user-access-token-for-a-github-app
import { type DevicePoll, type GitHub, type GitHubApp, GitHubError, type UserToken } from './port.ts'
import type { Send } from './requests.ts'

type DeviceLogin = Pick<GitHub, 'startDeviceLogin' | 'pollDeviceLogin' | 'refreshUserToken'>

/** The seconds that RFC 8628 adds to the interval if the answer names no new one. */
const slowDown = 5

/** `send` calls the website of GitHub, which has the endpoints of the flow. The API does not have them. */
export function githubDeviceLogin({ clientId, clientSecret }: GitHubApp, send: Send): DeviceLogin {
  const headers = { accept: 'application/json' }
  const ask = async (path: string, fields: Record<string, string>) => {
    const { data } = await send(`POST ${path}`, undefined, { client_id: clientId, ...fields, headers })
    if (typeof data !== 'object' || data === null)
      throw new GitHubError('unreachable', `GitHub answered ${path} with something that is not JSON.`)
    return data
  }
  return {
    async startDeviceLogin() {
      const data = await ask('/login/device/code', {})
      if (data.error) throw new GitHubError('refused', explainStart(String(data.error)))
      return {
        deviceCode: String(data.device_code),
        userCode: String(data.user_code),
        verificationUri: String(data.verification_uri),
        expiresIn: Number(data.expires_in),
        interval: Number(data.interval),
      }
    },
    async pollDeviceLogin(device_code) {
      const grant_type = 'urn:ietf:params:oauth:grant-type:device_code'
      const data = await ask('/login/oauth/access_token', { device_code, grant_type })
      return data.error
        ? waiting(String(data.error), data.interval)
        : { state: 'approved', token: userToken(data) }
    },
    async refreshUserToken(refresh_token) {
      const data = await ask('/login/oauth/access_token', {
        grant_type: 'refresh_token',
        refresh_token,
        ...(clientSecret && { client_secret: clientSecret.reveal() }),
      })
      return data.error ? undefined : userToken(data)
    },
  }
}

const explainStart = (error: string): string =>
  error === 'device_flow_disabled'
    ? "The GitHub App does not allow the device flow. Its owner turns it on with 'Enable Device Flow' on the page of the App."
    : `GitHub refused the login: ${error.slice(0, 100)}.`

function waiting(error: string, interval: unknown): DevicePoll {
  if (error === 'authorization_pending') return { state: 'waiting' }
  if (error === 'slow_down') return { state: 'too fast', interval: Number(interval) || slowDown }
  return { state: error === 'access_denied' ? 'denied' : 'expired' }
}

const userToken = (data: Record<string, unknown>): UserToken => ({
  token: String(data.access_token),
  expiresAt: data.expires_in ? Date.now() + Number(data.expires_in) * 1000 : null,
  refreshToken: data.refresh_token ? String(data.refresh_token) : null,
})
