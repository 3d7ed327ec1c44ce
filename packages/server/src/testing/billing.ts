// Buying plans in tests, as a person does: through the API and the sandbox's payment page.
import { advanceBilling } from '../core/billing/advance.ts'
import { send } from './send.ts'
import type { HttpAnswer, TestServer } from './server.ts'

/** The account itself, or an org. */
export type Scope = '' | `/orgs/${string}`
type SandboxChoice = 'pay' | 'pay-once' | 'decline'

/** What a browser sends when a button of the payment page is pressed. */
export const choose = (server: TestServer, url: string, choice: SandboxChoice): Promise<HttpAnswer> =>
  server.request(new URL(url).pathname, {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: `choice=${choice}`,
  })

export async function buy(
  server: TestServer,
  who: { token: string },
  { plan = 'pro', choice = 'pay', scope = '' }: { plan?: string; choice?: SandboxChoice; scope?: Scope } = {},
): Promise<HttpAnswer> {
  const { json } = await send(server, `POST ${scope}/billing/checkout`, who, { plan })
  return await choose(server, json.checkout_url, choice)
}

/** What the worker does now and then. A step that fails fails the test. */
export async function passTime(server: TestServer, ms: number): Promise<void> {
  server.clock.advance(ms)
  await advanceBilling(server.running.platform, error => {
    throw error
  })
}

export const day = 86_400_000

export const overviewOf = async (server: TestServer, who: { token: string }, scope: Scope = '') =>
  (await send(server, `GET ${scope}/billing`, who)).json

/** All payments of an account or an org, in the order in which they began. */
export const paymentsOf = (server: TestServer, ownerId: string) =>
  server.running.platform.store.db
    .selectFrom('payments')
    .selectAll()
    .where('owner_id', '=', ownerId)
    .orderBy('created_at')
    .execute()
