// Buys plans in tests as a person does: with the API and the payment page of the sandbox.
import { advanceBilling } from '../core/billing/advance.ts'
import { send } from './send.ts'
import type { HttpAnswer, TestServer } from './server.ts'

/** The path prefix of the billing endpoints: empty for an account. */
export type Scope = '' | `/orgs/${string}`
type SandboxChoice = 'pay' | 'pay-once' | 'decline'

/** Presses a button of the payment page, as a browser does. */
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

/** Moves the clock and runs the billing jobs of the worker. A job that fails makes the test fail. */
export async function passTime(server: TestServer, ms: number): Promise<void> {
  server.clock.advance(ms)
  await advanceBilling(server.running.platform, error => {
    throw error
  })
}

export const day = 86_400_000

export const overviewOf = async (server: TestServer, who: { token: string }, scope: Scope = '') =>
  (await send(server, `GET ${scope}/billing`, who)).json

/** Returns all payments of an account or an org, oldest first. */
export const paymentsOf = (server: TestServer, ownerId: string) =>
  server.running.platform.store.db
    .selectFrom('payments')
    .selectAll()
    .where('owner_id', '=', ownerId)
    .orderBy('created_at')
    .execute()
