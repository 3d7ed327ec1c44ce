// One call of the API as a test writes it down: `send(server, 'PUT /orgs/acme/members/bob', ada, { role: 'admin' })`.
import type { HttpAnswer, TestServer } from './server.ts'

export function send(
  server: TestServer,
  line: `${string} /${string}`,
  who?: { token: string },
  body?: unknown,
): Promise<HttpAnswer> {
  const [method = '', path = ''] = line.split(' ')
  return server.request(path, { method, token: who?.token, body })
}

/** What a refusal says to programs: `404 not_found`. */
export const refusal = ({ status, json }: HttpAnswer): string => `${status} ${json?.error?.code}`
