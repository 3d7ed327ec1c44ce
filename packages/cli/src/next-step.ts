// Says what to do about an error of the API, in a second line after the message.
import type { ApiError } from '@svc/contract/client'
import { environment } from './environment.ts'
import { networkAdvice } from './network.ts'
import { apiUrl, usesDefaultApiUrl } from './platform-url.ts'

const elsewhere = (): string =>
  `Is ${apiUrl()} the URL of the API? ${environment.apiUrl() ? 'It comes from SVC_API_URL.' : "'svc login --api-url <url>' sets another."}`

const proxyAlone = 'A proxy in front of the platform answers, and got no answer from the platform itself.'

/** The next step for each status of an answer that did not come from the platform. */
const ofStatus: Record<number, () => string> = {
  404: elsewhere,
  405: elsewhere,
  413: () =>
    "A proxy in front of the platform refuses uploads this big. Raise its limit (nginx: 'client_max_body_size 100m;'), or go around it; Cloudflare's proxy allows 100 MB on its free plan.",
  502: () => `${proxyAlone} Check that svcd is running, and try again.`,
  503: () => `${proxyAlone} It may be restarting: try again in a minute.`,
  504: () => `${proxyAlone} It was too slow for the proxy: try again, or raise the proxy's timeout.`,
}

export function nextStep(error: ApiError): string | undefined {
  if (error.code === 'network_error') {
    const nobodySaid = usesDefaultApiUrl() && error.message.startsWith(`Could not reach ${apiUrl()}`)
    return nobodySaid ? whereItIs : networkAdvice(error.cause)
  }
  if (error.code === 'unauthorized')
    return environment.token()
      ? "SVC_TOKEN is set and wins over the stored login. Set a valid token, or unset it and run 'svc login'."
      : "Run 'svc login'."
  if (error.code !== 'unknown') return undefined
  if (error.location) return redirected(error.location)
  if (error.status >= 200 && error.status < 300) return elsewhere()
  return ofStatus[error.status]?.()
}

const whereItIs = "Start the platform there, or say where it is: 'svc login --api-url <url>', or SVC_API_URL."

/** Shows where the answer redirects to. svc does not follow it. */
function redirected(location: string): string {
  const url = URL.canParse(location, apiUrl()) ? new URL(location, apiUrl()).origin : location
  return environment.apiUrl()
    ? `It redirects to ${url}. If that is your platform, set SVC_API_URL to it.`
    : `It redirects to ${url}. If that is your platform, run 'svc login --api-url ${url}'.`
}
