// A certificate for tests with TLS. All tests of a file share one.
import { Authority } from '../../../testing/authority.ts'

let made: ReturnType<typeof makeCertificate> | undefined

export function certificate() {
  made ??= makeCertificate()
  return made
}

async function makeCertificate() {
  const authority = await Authority.make()
  try {
    return await authority.certificate('shop.example.test')
  } finally {
    await authority.remove()
  }
}
