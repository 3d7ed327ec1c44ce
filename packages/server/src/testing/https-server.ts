// A platform with HTTPS, whose certificate is of an authority of its own.
import { afterAll, beforeAll, describe } from 'vitest'
import { Authority } from './authority.ts'
import { TestServer } from './server.ts'

export const httpsDomain = 'platform.test'

export async function startHttpsServer(settings: Record<string, string> = {}) {
  const authority = await Authority.make()
  const { certFile, keyFile } = await authority.certificate(httpsDomain, `*.${httpsDomain}`)
  const server = await TestServer.start('sqlite', {
    SVCD_PLATFORM_DOMAIN: httpsDomain,
    SVCD_TLS_PORT: '0',
    SVCD_TLS_CERT: certFile,
    SVCD_TLS_KEY: keyFile,
    ...settings,
  })
  const remove = async () => {
    await server.remove()
    await authority.remove()
  }
  return { server, ca: authority.ca, remove }
}

/** Runs the tests once with the fast lanes and once without them. */
export function withAndWithoutLanes(tests: (server: () => TestServer) => void): void {
  describe.each(['1', '0'])('with SVCD_FAST_LANES=%s', lanes => {
    let started: Awaited<ReturnType<typeof startHttpsServer>>
    beforeAll(async () => {
      started = await startHttpsServer({ SVCD_FAST_LANES: lanes })
    })
    afterAll(() => started?.remove())
    tests(() => started.server)
  })
}
