// Deploys, protects and visits sites in tests.
import { randomText } from '../lib/ids.ts'
import { archiveOf } from './archives.ts'
import { send } from './send.ts'
import type { HttpAnswer, TestServer } from './server.ts'
import { freshName } from './team.ts'

type SiteFiles = Record<string, string>

export async function deploySite(
  server: TestServer,
  token: string,
  files: SiteFiles,
  org?: string,
): Promise<string> {
  const name = `site-${randomText(12)}`
  await server.client(token)('POST /projects', { body: { name, ...(org ? { org } : {}) } })
  const { status } = await server.upload(token, name, archiveOf(files))
  if (status !== 201) throw new Error(`the upload answered ${status}`)
  return name
}

/** A project of a new account, to which a test uploads. */
export async function newSite(server: TestServer) {
  const owner = await server.account()
  const name = freshName()
  await send(server, 'POST /projects', owner, { name })
  const path = `/projects/${name}` as const
  /** Returns the id of the deployment. */
  const upload = async (files: SiteFiles, query = ''): Promise<string> =>
    (await server.upload(owner.token, name, archiveOf(files), query)).json.deployment_id
  const activate = (id: string) => send(server, `POST ${path}/deployments/${id}/activate`, owner)
  return { owner, name, path, upload, activate }
}

export const setPassword = (server: TestServer, token: string, name: string, password: string) =>
  server.request(`/projects/${name}/password`, { method: 'PUT', token, body: { password } })

/** Submits a password in the form of the unlock page. */
export const unlock = (
  server: TestServer,
  label: string,
  fields: Record<string, string>,
  headers: Record<string, string> = {},
): Promise<HttpAnswer> =>
  server.site(label, '/_svc/unlock', {
    method: 'POST',
    body: new URLSearchParams(fields).toString(),
    headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
  })

/** Returns the cookie that an answer set, in the form that a browser sends back. */
export function cookieOf(answer: HttpAnswer): string {
  const [cookie = ''] = (answer.headers['set-cookie'] ?? []) as string[]
  return cookie.split(';')[0] ?? ''
}
