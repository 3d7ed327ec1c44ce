// Sites whose visitors are counted, and what the tests of the counts share.
import { send } from './send.ts'
import type { TestClock, TestServer } from './server.ts'
import { deploySite } from './sites.ts'

export const hour = 3_600_000
export const day = 24 * hour

export const phone =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 Version/18.5 Mobile/15E148 Safari/604.1'
export const laptop = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0'

export interface CountedSite {
  token: string
  name: string
  id: string
}

export async function newCountedSite(
  server: TestServer,
  files: Record<string, string> = {},
): Promise<CountedSite> {
  const { token } = await server.account()
  const name = await deploySite(server, token, { 'index.html': 'home', ...files })
  const { id } = (await send(server, `GET /projects/${name}`, { token })).json
  return { token, name, id }
}

/** Sets the clock to half past noon of the next day, so that no hour and no day ends during a test. */
export const setToNoon = (clock: TestClock): void => clock.advance(day + 12.5 * hour - (clock.now() % day))
