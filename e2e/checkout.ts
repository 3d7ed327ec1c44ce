import { fileURLToPath } from 'node:url'
import { isOpenToAll } from '@svc/server/dist/testing/open-to-all.js'

const server = fileURLToPath(new URL('../../packages/server', import.meta.url))

/** Whether a service with a user of its own can run svcd from this checkout. If not, says which tests that costs. */
export function canServeFromHere(tests: string): boolean {
  const isOpen = isOpenToAll(server)
  if (!isOpen)
    console.warn(
      `The tests of ${tests} are skipped: other users cannot read this checkout. Clone it outside of /root.`,
    )
  return isOpen
}
