// GitHub: installations, their repositories, and the webhook.
import type { Readable } from 'node:stream'
import { receiveDelivery } from '../../core/builds/github/deliveries.ts'
import { isLinked, repositoriesIn } from '../../core/builds/github/installations.ts'
import { startGitHubLogin } from '../../core/identity/github-sign-in.ts'
import { usableInstallations } from '../../core/orgs/installations.ts'
import type { Platform } from '../../core/platform/platform.ts'
import { Fault } from '../../lib/fault.ts'
import type { Handlers } from '../call.ts'

/** GitHub's own bound is 25 MB; a push of a thousand commits has about 1 MB. */
const deliveryBytes = 5 * 1024 * 1024
/** GitHub itself waits no longer for the answer. */
const patienceMs = 10_000

export const githubRoutes = (platform: Platform) =>
  ({
    'GET /github': async ({ caller }) => ({
      installations: await usableInstallations(platform, caller),
      install_url: platform.github?.installUrl ?? null,
      ...(platform.github && { linked: await isLinked(platform, caller.account.id) }),
    }),
    'GET /github/installations/:id/repositories': async ({ caller, params, query }) => ({
      repositories: await repositoriesIn(platform, caller, Number(params.id) || 0, query.q),
    }),
    'POST /github/link': async ({ caller, ip, headers }) =>
      await startGitHubLogin(
        platform,
        { ip, userAgent: headers['user-agent'] ?? '' },
        { linkTo: caller.account.id },
      ),
    'POST /hooks/github': async ({ headers, stream }) => {
      const signature = String(headers['x-hub-signature-256'] ?? '')
      // The body of a request without a signature is not read.
      if (!platform.github || signature === '')
        throw new Fault('unauthorized', 'The signature of the webhook is missing or wrong.')
      if (Number(headers['content-length'] ?? 0) > deliveryBytes) throw tooLarge()
      await receiveDelivery(platform, {
        id: String(headers['x-github-delivery'] ?? ''),
        event: String(headers['x-github-event'] ?? ''),
        signature,
        body: await readWhole(stream()),
      })
      return { ok: true }
    },
  }) satisfies Partial<Handlers>

async function readWhole(body: Readable): Promise<Buffer> {
  const chunks: Buffer[] = []
  let bytes = 0
  const late = setTimeout(() => body.destroy(), patienceMs)
  try {
    for await (const chunk of body.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      bytes += chunk.length
      if (bytes > deliveryBytes) throw tooLarge()
      chunks.push(chunk)
    }
  } finally {
    clearTimeout(late)
  }
  return Buffer.concat(chunks)
}

const tooLarge = (): Fault =>
  new Fault('payload_too_large', 'A delivery of the webhook may have at most 5 MB.')
