// A platform with HTTPS, once with the fast lanes and once without them.
import { afterAll, beforeAll, describe } from 'vitest'
import { Authority } from './authority.ts'
import { TestServer } from './server.ts'

export const httpsDomain = 'platform.test'

export function withAndWithoutLanes(tests: (server: () => TestServer) => void): void {
  describe.each(['1', '0'])('with SVCD_FAST_LANES=%s', lanes => {
    let authority: Authority
    let server: TestServer
    beforeAll(async () => {
      authority = await Authority.make()
      const { certFile, keyFile } = await authority.certificate(httpsDomain, `*.${httpsDomain}`)
      server = await TestServer.start('sqlite', {
        SVCD_PLATFORM_DOMAIN: httpsDomain,
        SVCD_TLS_PORT: '0',
        SVCD_TLS_CERT: certFile,
        SVCD_TLS_KEY: keyFile,
        SVCD_FAST_LANES: lanes,
      })
    })
    afterAll(async () => {
      await server?.remove()
      await authority?.remove()
    })
    tests(() => server)
  })
}
