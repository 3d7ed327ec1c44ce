// The longest texts that the platform takes, without spaces and in wide letters. No page may be wider than its screen with them.
import type { Client } from '@svc/contract/client'
import type { Message } from './visitors.ts'

const wide = (length: number): string => 'w'.repeat(length)

/** 40 letters is the limit of a name. */
export const longestName = wide(40)
const branch = `feature/${wide(192)}`
const domain = [wide(63), wide(63), wide(63), wide(53), 'example'].join('.')
const email = `${wide(64)}@${[wide(63), wide(63), wide(53), 'example'].join('.')}`
const page = `${wide(120)}.html`

interface Hands {
  call: Client
  upload: (project: string, files: Record<string, string>, branch?: string) => Promise<string>
  push: (cloneUrl: string, message: string, files: Record<string, string>) => Promise<void>
  send: (message: Omit<Message, 'host'>) => Promise<void>
}

/** The ids of the deployment and the build with the longest texts. */
export interface Longest {
  deployment: string
  build: string
}

/** Fills one project, and adds to the lists of the account and of an org. */
export async function addLongest({ call, upload, push, send }: Hands, org: string): Promise<Longest> {
  const params = { name: longestName }
  await call('POST /projects', { body: params })
  await upload(longestName, { 'index.html': wide(300), [page]: wide(300) })
  const deployment = await upload(longestName, { 'index.html': wide(200), [page]: wide(300) }, branch)
  await call('POST /projects/:name/domains', { params, body: { domain } })
  await call('PUT /projects/:name/env/:key', {
    params: { ...params, key: wide(128) },
    body: { value: wide(500) },
  })
  await call('POST /projects/:name/crons', {
    params,
    body: { schedule: '0,5,10,15,20,25,30,35,40,45,50,55 1,3,5,7,9,11 * * *', path: `/${wide(200)}` },
  })
  await call('POST /projects/:name/notifications', {
    params,
    body: { kind: 'webhook', address: `https://hooks.example/${wide(300)}` },
  })
  await call('POST /tokens', { body: { kind: 'cli', label: wide(200), project: longestName } })
  await call('POST /orgs/:name/invites', { params: { name: org }, body: { email, role: 'member' } })
  await call('POST /admin/invites', { body: { email } })
  const headers = { referer: `https://${domain}/`, 'user-agent': 'Mozilla/5.0 Firefox/140.0' }
  for (const path of ['/', `/${page}`, `/${wide(400)}`]) await send({ path, headers })
  await send({
    path: `/_svc/forms/${wide(40)}`,
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams({ email, [wide(100)]: wide(500) }).toString(),
  })
  return { deployment, build: await longestBuild(call, push) }
}

async function longestBuild(call: Client, push: Hands['push']): Promise<string> {
  const params = { name: longestName }
  const body = { repo: `ada/${longestName}` }
  const { clone_url = '' } = await call('POST /projects/:name/repo', { params, body })
  await push(clone_url, wide(300), { 'index.html': wide(300) })
  await call('POST /projects/:name/hooks', { params, body: { name: wide(100) } })
  const { builds } = await call('GET /projects/:name/builds', { params })
  return builds[0]?.id ?? ''
}
