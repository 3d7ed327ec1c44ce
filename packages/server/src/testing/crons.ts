// A site with scheduled jobs, and how a test calls their endpoints.
import { send } from './send.ts'
import type { TestServer } from './server.ts'
import { deploySite } from './sites.ts'

export async function newCronSite(
  server: TestServer,
  files: Record<string, string> = { 'index.html': 'hello', 'tick.html': 'tick' },
) {
  const owner = await server.account()
  const name = await deploySite(server, owner.token, files)
  const crons = `/projects/${name}/crons` as const
  const add = (body: unknown) => send(server, `POST ${crons}`, owner, body)
  const list = async () => (await send(server, `GET ${crons}`, owner)).json
  const runs = async (id: string) => (await send(server, `GET ${crons}/${id}/runs`, owner)).json.runs
  return { owner, name, crons, add, list, runs }
}
